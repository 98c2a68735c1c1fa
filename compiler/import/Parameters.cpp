// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two walks backward, from the outputs and from running statistics, find the values through which
// gradients flow. The table of operators (Operators.h) says through which inputs they flow, and
// which inputs are running statistics. Masks are recognized by infinite elements, tables of angles
// by the cosine or sine that reads them.
#include "compiler/import/Parameters.h"

#include "compiler/import/ExportedModule.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

namespace pcc::import {

bool canBeTrained(const onnx::TensorProto &tensor) {
  int32_t type = tensor.data_type();
  return type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::FLOAT16 ||
         type == onnx::TensorProto::BFLOAT16 || type == onnx::TensorProto::DOUBLE;
}

void forEachRead(const onnx::NodeProto &node, llvm::function_ref<void(const std::string &)> visit) {
  for (const std::string &name : node.input())
    visit(name);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    for (const onnx::NodeProto &inner : attribute.g().node())
      forEachRead(inner, visit);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      visit(output.name());
  }
}

const onnx::TensorProto *findConstantTensor(const onnx::NodeProto &node) {
  if (node.op_type() != "Constant" || node.output_size() != 1 || node.attribute_size() != 1)
    return nullptr;
  const onnx::AttributeProto &attribute = node.attribute(0);
  return attribute.name() == "value" && attribute.has_t() ? &attribute.t() : nullptr;
}

namespace {

/// Returns whether a number is infinite or used as infinity. Masks have such numbers, weights do
/// not.
bool isInfinite(double number) { return std::fabs(number) >= 1e30f; }

bool isMaskOfDoubles(const onnx::TensorProto &tensor) {
  if (llvm::any_of(tensor.double_data(), isInfinite))
    return true;
  llvm::StringRef bytes = tensor.raw_data();
  for (; bytes.size() >= sizeof(double); bytes = bytes.drop_front(sizeof(double)))
    if (isInfinite(llvm::bit_cast<double>(llvm::support::endian::read64le(bytes.data()))))
      return true;
  return false;
}

/// Returns whether a tensor of f32 or f64 in the file holds such a number.
bool isMask(const onnx::TensorProto &tensor) {
  if (tensor.data_type() == onnx::TensorProto::DOUBLE)
    return isMaskOfDoubles(tensor);
  if (tensor.data_type() != onnx::TensorProto::FLOAT)
    return false;
  if (llvm::any_of(tensor.float_data(), isInfinite))
    return true;
  llvm::StringRef bytes = tensor.raw_data();
  for (; bytes.size() >= sizeof(float); bytes = bytes.drop_front(sizeof(float)))
    if (isInfinite(llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()))))
      return true;
  return false;
}

/// Adds the values from which a gradient flows to one of `names`, by one walk in reverse order of
/// the nodes. If the file does not list parameters, the walk stops at cosines and sines that do not
/// depend on an input of the graph. These are tables of angles, for example of positions.
void addDifferentiable(const onnx::GraphProto &graph, int64_t opset, bool areListed,
                       llvm::StringSet<> &names) {
  llvm::StringSet<> computed = findComputed(graph);
  for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
    if (llvm::none_of(node.output(), [&](const auto &name) { return names.contains(name); }))
      continue;
    bool isAngle = !areListed && (node.op_type() == "Cos" || node.op_type() == "Sin");
    if (isAngle && node.input_size() == 1 && !computed.contains(node.input(0)))
      continue;
    const Operator *row = findOperator(node.op_type(), opset);
    uint32_t gradients = row ? row->gradients : AllInputs;
    for (auto [position, name] : llvm::enumerate(node.input()))
      if (gradients >> std::min<size_t>(position, 31) & 1)
        names.insert(name);
    if (llvm::any_of(node.attribute(), [](const auto &attribute) { return attribute.has_g(); }))
      forEachRead(node, [&](const std::string &name) { names.insert(name); });
  }
}

/// Returns the values that a node other than a Cast reads.
llvm::StringSet<> findReadAsTheyAre(const onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() != "Cast")
      forEachRead(node, [&](const std::string &name) { names.insert(name); });
  return names;
}

/// Returns whether the initializer is a parameter, provided that a gradient reaches it.
bool mayBeTrained(const onnx::TensorProto &tensor, const ExportedModule &exported) {
  if (exported.isParameter(tensor.name()))
    return true;
  if (tensor.dims_size() == 0 || isMask(tensor) || exported.isBuffer(tensor.name()))
    return false;
  return !exported.listsParameters() || exported.isFoldedParameter(tensor.name());
}

/// Returns the values that operators take as states.
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

llvm::StringSet<> findComputed(const onnx::GraphProto &graph) {
  llvm::StringSet<> initializers, computed;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!initializers.contains(input.name()))
      computed.insert(input.name());
  for (const onnx::NodeProto &node : graph.node()) {
    bool isComputed = false;
    forEachRead(node, [&](const std::string &name) { isComputed |= computed.contains(name); });
    if (isComputed && node.op_type() != "Shape" && node.op_type() != "Size")
      for (const std::string &name : node.output())
        computed.insert(name);
  }
  return computed;
}

ParameterNames findParameters(const onnx::GraphProto &graph, int64_t opset,
                              const ExportedModule &exported) {
  llvm::StringSet<> trained, states = findStates(graph, opset);
  for (const onnx::ValueInfoProto &output : graph.output())
    trained.insert(output.name());
  addDifferentiable(graph, opset, exported.listsParameters(), trained);
  addDifferentiable(graph, opset, exported.listsParameters(), states);
  llvm::StringSet<> read = findReadAsTheyAre(graph);
  ParameterNames parameters;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    // Files of f32 may hold tables of f64, which they cast before use.
    bool isTable = tensor.data_type() == onnx::TensorProto::DOUBLE && !read.contains(tensor.name());
    if (!canBeTrained(tensor) || (isTable && !exported.isParameter(tensor.name())))
      continue;
    if (trained.contains(tensor.name()) && mayBeTrained(tensor, exported))
      parameters.trained.insert(tensor.name());
    else if (states.contains(tensor.name()) && tensor.dims_size() > 0)
      parameters.states.insert(tensor.name());
  }
  for (const onnx::NodeProto &node : graph.node())
    if (const onnx::TensorProto *tensor = findConstantTensor(node);
        tensor && canBeTrained(*tensor) && tensor->dims_size() > 0 &&
        states.contains(node.output(0)))
      parameters.states.insert(node.output(0));
  return parameters;
}

} // namespace pcc::import
