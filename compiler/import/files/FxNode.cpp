// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata are texts in the exporter's formats, which are split at their delimiters. All names
// refer to the node's own strings. Text in another format yields no entries; it is never an error.
#include "compiler/import/files/FxNode.h"

#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace pcc::import {
namespace {

bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Returns the path of the innermost module in a list of scopes in Python's form, such as
/// `['', 'model', 'model.norm', 'mul_3']`. The last entry is the fx node. Returns nothing for
/// any other text.
std::optional<llvm::StringRef> parseModule(llvm::StringRef text) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> scopes;
  text.split(scopes, ", ");
  if (scopes.size() < 2)
    return std::nullopt;
  llvm::StringRef module = scopes[scopes.size() - 2];
  bool isQuoted = module.size() >= 2 && (module.front() == '\'' || module.front() == '"') &&
                  module.front() == module.back();
  return isQuoted ? std::optional(module.drop_front().drop_back()) : std::nullopt;
}

/// Returns the positional arguments in an fx node's text `… (args = (%x, [0, 1], 3), kwargs = {})`.
llvm::StringRef findArguments(llvm::StringRef text) {
  return text.split("(args = (").second.rsplit("), kwargs = ").first;
}

/// Returns the items of the last list in the arguments of an fx node.
llvm::SmallVector<llvm::StringRef> findLastList(llvm::StringRef arguments) {
  size_t begin = arguments.rfind('[');
  llvm::SmallVector<llvm::StringRef> items;
  if (begin == llvm::StringRef::npos)
    return items;
  arguments.substr(begin + 1).split(']').first.split(items, ", ");
  return items;
}

} // namespace

bool FxNode::reads(llvm::StringRef argument) const {
  return llvm::is_contained(arguments, argument);
}

llvm::StringRef FxNode::argument(size_t position) const {
  int depth = 0;
  size_t begin = 0;
  for (auto [at, c] : llvm::enumerate(positional)) {
    depth += llvm::StringRef("[({").contains(c) - llvm::StringRef("])}").contains(c);
    if (c != ',' || depth != 0)
      continue;
    if (position-- == 0)
      return positional.slice(begin, at).trim();
    begin = at + 1;
  }
  return position == 0 ? positional.drop_front(begin).trim() : "";
}

std::optional<FxNode> findFxNode(const onnx::NodeProto &node) {
  llvm::StringRef text = findMetadata(node.metadata_props(), "pkg.torch.onnx.fx_node");
  if (!text.consume_front("%"))
    return std::nullopt;
  FxNode fx;
  fx.name = text.take_while(isNameCharacter);
  fx.operation =
      text.split("[target=torch.ops.").second.take_until([](char c) { return c == ']'; });
  for (llvm::StringRef rest = text.split('%').second; !rest.empty(); rest = rest.split('%').second)
    fx.arguments.push_back(rest.take_while(isNameCharacter));
  fx.positional = findArguments(text);
  fx.lastList = findLastList(fx.positional);
  return fx;
}

std::optional<llvm::StringRef> findModule(const onnx::NodeProto &node) {
  return parseModule(findMetadata(node.metadata_props(), "pkg.torch.onnx.name_scopes"));
}

llvm::StringRef baseName(llvm::StringRef fxName) {
  auto [base, number] = fxName.rsplit('_');
  return !number.empty() && llvm::all_of(number, llvm::isDigit) ? base : fxName;
}

llvm::StringRef findRewriteRule(const onnx::NodeProto &node) {
  return findMetadata(node.metadata_props(), "pkg.onnxscript.rewriter.rule_name");
}

} // namespace pcc::import
