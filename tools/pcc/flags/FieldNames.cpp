// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/flags/FieldNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;

namespace {
/// A field, and the name that MindSpore has for it beside its own.
struct FieldAlias {
  llvm::StringLiteral name, alias;
};
} // namespace

static constexpr FieldAlias fieldAliases[] = {{"auto_parallel_search_mode", "search_mode"}};

llvm::StringRef pcc::cli::findAlias(llvm::StringRef name) {
  for (const FieldAlias &row : fieldAliases)
    if (row.name == name)
      return row.alias;
  return "";
}

llvm::StringRef pcc::cli::resolveFieldName(const Descriptor *message, llvm::StringRef word) {
  if (message->full_name() == "pcc.abi.Constraints" && word == "pin")
    return "constraint"; // files of the previous release are accepted for one release
  for (const FieldAlias &row : fieldAliases)
    if (row.alias == word && message->FindFieldByName(row.name.str()))
      return row.name;
  return word;
}

std::string pcc::cli::describeUnknownField(const Descriptor *message, llvm::StringRef word) {
  std::string text = "no option '" + word.str() + "'";
  llvm::StringRef nearest;
  unsigned least = word.size() / 2 + 1;
  for (int i = 0; i < message->field_count(); ++i)
    if (unsigned distance = word.edit_distance(message->field(i)->name()); distance < least) {
      least = distance;
      nearest = message->field(i)->name();
    }
  return nearest.empty() ? text : text + "; did you mean '" + nearest.str() + "'?";
}

/// Returns the words that all values of an enumeration begin with: MICRO_ for MICRO_SUM and
/// MICRO_MEAN.
static llvm::StringRef commonPrefix(const EnumDescriptor *type) {
  llvm::StringRef prefix = type->value(0)->name();
  for (int i = 1; i < type->value_count(); ++i) {
    llvm::StringRef name = type->value(i)->name();
    while (!name.starts_with(prefix))
      prefix = prefix.drop_back();
  }
  return prefix.take_front(prefix.rfind('_') + 1);
}

const EnumValueDescriptor *pcc::cli::findEnumValue(const EnumDescriptor *type,
                                                   llvm::StringRef text) {
  std::string word = text.upper();
  llvm::replace(word, '-', '_'); // zb-h1 is ZB_H1
  for (int i = 0; i < type->value_count(); ++i) {
    llvm::StringRef name = type->value(i)->name();
    if (name == word || name.drop_front(commonPrefix(type).size()) == word)
      return type->value(i);
  }
  return nullptr;
}

std::string pcc::cli::shortEnumName(const EnumValueDescriptor *value) {
  return llvm::StringRef(value->name()).drop_front(commonPrefix(value->type()).size()).lower();
}

std::string pcc::cli::enumValueNames(const EnumDescriptor *type) {
  std::string names;
  for (int i = 0; i < type->value_count(); ++i) {
    names += i == 0 ? "" : i + 1 == type->value_count() ? " or " : ", ";
    names += shortEnumName(type->value(i));
  }
  return names;
}
