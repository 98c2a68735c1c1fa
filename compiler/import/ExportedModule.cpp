// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata are texts in the exporter's formats, which are split at their delimiters. All names
// refer to the graph's own strings. Text in another format yields no entries; it is never an error.
#include "compiler/import/ExportedModule.h"

#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace pcc::import {
namespace {

/// Returns the value of the entry `key` of a node's, value's or graph's metadata; empty if there is
/// none.
template <typename Entries> llvm::StringRef findEntry(const Entries &entries, llvm::StringRef key) {
  for (const onnx::StringStringEntryProto &entry : entries)
    if (entry.key() == key)
      return entry.value();
  return "";
}

/// Returns the names in the text of a Python list such as ['head.weight', 'val_3'].
llvm::SmallVector<llvm::StringRef> splitList(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts, names;
  text.split(parts, '\'');
  for (size_t quoted = 1; quoted < parts.size(); quoted += 2)
    names.push_back(parts[quoted]);
  return names;
}

bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Returns the path of the innermost module in a list of scopes in Python's form, such as
/// `['', 'model', 'model.norm', 'mul_3']`. The last entry is the traced node. Returns nothing for
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

/// Returns the items of the last list in the arguments of an fx node's text.
llvm::SmallVector<llvm::StringRef> findLastList(llvm::StringRef text) {
  llvm::StringRef arguments = text.split("(args = (").second.rsplit("), kwargs = ").first;
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

std::optional<FxNode> findFxNode(const onnx::NodeProto &node) {
  llvm::StringRef text = findEntry(node.metadata_props(), "pkg.torch.onnx.fx_node");
  if (!text.consume_front("%"))
    return std::nullopt;
  FxNode fx;
  fx.name = text.take_while(isNameCharacter);
  fx.operation =
      text.split("[target=torch.ops.").second.take_until([](char c) { return c == ']'; });
  for (llvm::StringRef rest = text.split('%').second; !rest.empty(); rest = rest.split('%').second)
    fx.arguments.push_back(rest.take_while(isNameCharacter));
  fx.lastList = findLastList(text);
  return fx;
}

std::optional<llvm::StringRef> findModule(const onnx::NodeProto &node) {
  for (const onnx::StringStringEntryProto &entry : node.metadata_props())
    if (entry.key() == "pkg.torch.onnx.name_scopes")
      return parseModule(entry.value());
  return std::nullopt;
}

llvm::StringRef baseName(llvm::StringRef fxName) {
  auto [base, number] = fxName.rsplit('_');
  return !number.empty() && llvm::all_of(number, llvm::isDigit) ? base : fxName;
}

std::pair<llvm::StringRef, llvm::StringRef> splitTarget(llvm::StringRef target) {
  size_t dot = target.rfind('.');
  return dot == llvm::StringRef::npos ? std::pair(llvm::StringRef(), target)
                                      : std::pair(target.take_front(dot), target.substr(dot + 1));
}

bool isWithin(llvm::StringRef inner, llvm::StringRef outer) {
  return outer.empty() || (inner.consume_front(outer) && (inner.empty() || inner.front() == '.'));
}

llvm::StringRef findRewriteRule(const onnx::NodeProto &node) {
  return findEntry(node.metadata_props(), "pkg.onnxscript.rewriter.rule_name");
}

ExportedModule::ExportedModule(const onnx::GraphProto &graph) {
  readSignature(
      findEntry(graph.metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature"));
  for (const onnx::ValueInfoProto &value : graph.value_info())
    if (llvm::StringRef names =
            findEntry(value.metadata_props(), "pkg.onnxscript.optimizer.folded_from");
        !names.empty())
      sources[value.name()] = splitList(names);
}

/// Reads the graph signature: one line for each tensor.
void ExportedModule::readSignature(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    auto [placeholder, kind] = line.trim().split(": ");
    llvm::StringRef target = kind.split("target='").second.split('\'').first;
    if (kind.starts_with("USER_OUTPUT"))
      outputNames.push_back(placeholder);
    else
      inputNames.insert(placeholder);
    if (!target.empty())
      targets[placeholder] = target;
    if (kind.starts_with("PARAMETER") && parameterNames.insert(target).second)
      list.push_back({target, placeholder});
    else if (kind.starts_with("BUFFER") && bufferNames.insert(target).second &&
             kind.contains("persistent=True"))
      buffers.push_back({target, placeholder});
  }
}

llvm::StringRef ExportedModule::placeholderOf(llvm::StringRef parameter) const {
  auto found =
      llvm::find_if(list, [&](const ExportedTensor &own) { return own.target == parameter; });
  return found == list.end() ? llvm::StringRef() : found->placeholder;
}

bool ExportedModule::isTarget(llvm::StringRef name) const {
  return llvm::any_of(targets, [&](const auto &entry) { return entry.getValue() == name; });
}

llvm::ArrayRef<llvm::StringRef> ExportedModule::foldedFrom(llvm::StringRef initializer) const {
  auto folded = sources.find(initializer);
  return folded == sources.end() ? llvm::ArrayRef<llvm::StringRef>() : folded->second;
}

bool ExportedModule::isFoldedParameter(llvm::StringRef initializer) const {
  return llvm::any_of(foldedFrom(initializer),
                      [&](llvm::StringRef name) { return isParameter(name); });
}

} // namespace pcc::import
