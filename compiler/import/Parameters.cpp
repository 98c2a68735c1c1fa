// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Parameters.h"

#include "compiler/import/Operators.h"
#include "compiler/import/onnx.pb.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

namespace pcc::import {
namespace {

bool isFloatingPoint(int32_t dataType) {
  return dataType == onnx::TensorProto::FLOAT || dataType == onnx::TensorProto::FLOAT16 ||
         dataType == onnx::TensorProto::BFLOAT16 || dataType == onnx::TensorProto::DOUBLE;
}

/// Whether a number is infinite or stands for that: no weight is so large, but masks are.
bool isHidden(float number) { return std::fabs(number) >= 1e30f; }

/// Whether a tensor of f32 in the file holds such a number.
bool isMask(const onnx::TensorProto &tensor) {
  if (tensor.data_type() != onnx::TensorProto::FLOAT)
    return false;
  if (llvm::any_of(tensor.float_data(), isHidden))
    return true;
  llvm::StringRef bytes = tensor.raw_data();
  for (; bytes.size() >= sizeof(float); bytes = bytes.drop_front(sizeof(float)))
    if (isHidden(llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()))))
      return true;
  return false;
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
    if (!isFloatingPoint(tensor.data_type()) || tensor.dims_size() == 0 || isMask(tensor))
      continue;
    if (trained.contains(tensor.name()))
      parameters.trained.insert(tensor.name());
    else if (states.contains(tensor.name()))
      parameters.states.insert(tensor.name());
  }
  return parameters;
}

} // namespace pcc::import
