// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name is the innermost module, a slash and the operator in snake case. Names that repeat are
// numbered in node order, those of computed nodes and those of constants separately.

#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace pcc::import {
namespace {

/// Returns what a node does, from its operator: `LayerNormalization` is `layer_normalization`. A
/// `Gemm` is a matmul, because exporters write one for the other.
std::string findRole(llvm::StringRef op) {
  if (op == "MatMul" || op == "Gemm")
    return "matmul";
  std::string role;
  for (auto [index, letter] : llvm::enumerate(op)) {
    bool startsWord =
        index > 0 && llvm::isUpper(letter) &&
        (llvm::isLower(op[index - 1]) || (index + 1 < op.size() && llvm::isLower(op[index + 1])));
    if (startsWord)
      role += '_';
    role += llvm::toLower(letter);
  }
  return role;
}

} // namespace

std::vector<std::string> nameByModules(const onnx::GraphProto &graph) {
  llvm::StringSet<> computed = findComputed(graph);
  llvm::StringMap<unsigned> counts;
  std::vector<std::string> names;
  for (const onnx::NodeProto &node : graph.node()) {
    bool isComputed = llvm::any_of(
        node.output(), [&](const std::string &output) { return computed.contains(output); });
    std::string &name = names.emplace_back();
    std::optional<llvm::StringRef> module = findModule(node);
    if (!module)
      continue;
    name = (*module + (module->empty() ? "" : "/") + findRole(node.op_type())).str();
    if (!isComputed)
      name += ".fixed";
    if (unsigned number = counts[name]++)
      name += "_" + std::to_string(number);
  }
  return names;
}

} // namespace pcc::import
