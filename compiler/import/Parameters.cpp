// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Parameters.h"

#include "compiler/import/Operators.h"
#include "compiler/import/onnx.pb.h"

namespace pcc::import {
namespace {

bool isFloatingPoint(int32_t dataType) {
  return dataType == onnx::TensorProto::FLOAT || dataType == onnx::TensorProto::FLOAT16 ||
         dataType == onnx::TensorProto::BFLOAT16 || dataType == onnx::TensorProto::DOUBLE;
}

/// Adds the values from which a gradient flows to one of `names`: one walk against the order of the
/// nodes.
void addDifferentiable(const onnx::GraphProto &graph, int64_t opset, llvm::StringSet<> &names) {
  for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
    if (llvm::none_of(node.output(), [&](const auto &name) { return names.contains(name); }))
      continue;
    const Operator *row = findOperator(node.op_type(), opset);
    uint32_t gradients = row ? row->gradients : AllInputs;
    for (auto [position, name] : llvm::enumerate(node.input()))
      if (gradients >> std::min<size_t>(position, 31) & 1)
        names.insert(name);
  }
}

/// The values that operators take as states.
llvm::StringSet<> findStates(const onnx::GraphProto &graph, int64_t opset) {
  llvm::StringSet<> names;
  for (const onnx::NodeProto &node : graph.node())
    if (const Operator *row = findOperator(node.op_type(), opset))
      for (auto [position, name] : llvm::enumerate(node.input()))
        if (row->states >> std::min<size_t>(position, 31) & 1)
          names.insert(name);
  return names;
}

} // namespace

ParameterNames findParameters(const onnx::GraphProto &graph, int64_t opset) {
  llvm::StringSet<> trained, states = findStates(graph, opset);
  for (const onnx::ValueInfoProto &output : graph.output())
    trained.insert(output.name());
  addDifferentiable(graph, opset, trained);
  addDifferentiable(graph, opset, states);
  ParameterNames parameters;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (!isFloatingPoint(tensor.data_type()) || tensor.dims_size() == 0)
      continue;
    if (trained.contains(tensor.name()))
      parameters.trained.insert(tensor.name());
    else if (states.contains(tensor.name()))
      parameters.states.insert(tensor.name());
  }
  return parameters;
}

} // namespace pcc::import
