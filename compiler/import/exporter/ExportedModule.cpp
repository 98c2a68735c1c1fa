// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata are texts in the exporter's formats, which are split at their delimiters. All names
// refer to the graph's own strings. Text in another format yields no entries; it is never an error.
#include "compiler/import/exporter/ExportedModule.h"

#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"

namespace pcc::import {
namespace {

/// Returns the names in the text of a Python list such as ['head.weight', 'val_3'].
llvm::SmallVector<llvm::StringRef> splitList(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts, names;
  text.split(parts, '\'');
  for (size_t quoted = 1; quoted < parts.size(); quoted += 2)
    names.push_back(parts[quoted]);
  return names;
}

} // namespace

std::pair<llvm::StringRef, llvm::StringRef> splitTarget(llvm::StringRef target) {
  size_t dot = target.rfind('.');
  return dot == llvm::StringRef::npos ? std::pair(llvm::StringRef(), target)
                                      : std::pair(target.take_front(dot), target.substr(dot + 1));
}

bool isWithin(llvm::StringRef inner, llvm::StringRef outer) {
  return outer.empty() || (inner.consume_front(outer) && (inner.empty() || inner.front() == '.'));
}

ExportedModule::ExportedModule(const onnx::GraphProto &graph) {
  readSignature(
      findMetadata(graph.metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature"));
  for (const onnx::ValueInfoProto &value : graph.value_info())
    if (llvm::StringRef names =
            findMetadata(value.metadata_props(), "pkg.onnxscript.optimizer.folded_from");
        !names.empty())
      sources[value.name()] = splitList(names);
}

/// Reads the graph signature: one line for each tensor, first of the inputs, then of the outputs.
/// Outputs other than those of the user are new values of buffers and inputs, or gradients.
void ExportedModule::readSignature(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  bool isOutput = false;
  for (llvm::StringRef line : lines) {
    auto [placeholder, kind] = line.trim().split(": ");
    isOutput |= placeholder == "# outputs";
    if (kind.starts_with("USER_OUTPUT"))
      outputNames.push_back(placeholder);
    if (isOutput || kind.empty())
      continue;
    llvm::StringRef target = kind.split("target='").second.split('\'').first;
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
