// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a collective, by a table of the kinds and what each of them takes.
#include "compiler/import/constraints/InsertCollectives.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using llvm::StringLiteral;

namespace pcc::import {
namespace {

struct CollectiveForm {
  StringLiteral kind;
  ArrayRef<StringLiteral> words;   ///< allowed; the first one is the default
  ArrayRef<StringLiteral> numbers; ///< required
};

constexpr StringLiteral reductions[] = {"sum", "max", "min", "prod"}, mirrors[] = {"sum", "mean"};
constexpr StringLiteral axisName[] = {"axis"}, splitNames[] = {"split", "concat"},
                        rootName[] = {"root"};
const CollectiveForm forms[] = {{"all_reduce", reductions, {}},
                                {"all_gather", {}, axisName},
                                {"reduce_scatter", reductions, axisName},
                                {"all_to_all", {}, splitNames},
                                {"broadcast", {}, rootName},
                                {"mirror", mirrors, {}}};

std::string listWords(ArrayRef<StringLiteral> words) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words))
    text += (index == 0 ? "" : index + 1 == words.size() ? " or " : ", ") + word.str();
  return text;
}

/// Reads one item behind the kind; returns an error message, empty if there is none.
std::string readItem(const CollectiveForm &form, StringRef item, CollectiveText &text) {
  auto [name, value] = item.split('=');
  int64_t number = 0;
  if (llvm::is_contained(form.numbers, name) && !value.getAsInteger(10, number)) {
    text.numbers.push_back({name, number});
    return "";
  }
  if (text.word.empty() && llvm::is_contained(form.words, item)) {
    text.word = item;
    return "";
  }
  std::string expected = listWords(form.words);
  for (StringRef number : form.numbers)
    expected += (expected.empty() ? "\"" : " and \"") + number.str() + "=N\"";
  return "expected " + (expected.empty() ? std::string("\"over\"") : expected) + ", got \"" +
         item.str() + "\"";
}

} // namespace

CollectiveText parseCollective(StringRef given) {
  CollectiveText text;
  auto [head, group] = given.split(" over ");
  group = group.trim();
  if (!group.empty())
    text.group = ((group.starts_with("[[") ? "ranks " : "axes ") + group).str();
  SmallVector<StringRef> items;
  head.split(items, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  text.kind = items.empty() ? "" : items.front();
  const auto *form = llvm::find_if(forms, [&](auto &row) { return row.kind == text.kind; });
  if (form == std::end(forms)) {
    text.error = "expected all_reduce, all_gather, reduce_scatter, all_to_all, broadcast or "
                 "mirror, got \"" +
                 text.kind.str() + "\"";
    return text;
  }
  for (StringRef item : ArrayRef(items).drop_front())
    if (text.error.empty())
      text.error = readItem(*form, item, text);
  for (StringRef name : form->numbers)
    if (text.error.empty() &&
        llvm::none_of(text.numbers, [&](auto &entry) { return entry.first == name; }))
      text.error = ("expected \"" + name + "=N\"").str();
  if (text.word.empty() && !form->words.empty())
    text.word = form->words.front();
  return text;
}

} // namespace pcc::import
