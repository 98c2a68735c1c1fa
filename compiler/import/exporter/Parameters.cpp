// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two walks backward, from the outputs and from running statistics, find the values through which
// gradients flow. The table of operators (Operators.h) says through which inputs they flow, and
// which inputs are running statistics. Masks are recognized by infinite elements, tables of angles
// by the cosine or sine that reads them.
#include "compiler/import/exporter/Parameters.h"

#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/files/TensorData.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

namespace pcc::import {

bool canBeTrained(int32_t type) {
  return type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::FLOAT16 ||
         type == onnx::TensorProto::BFLOAT16 || type == onnx::TensorProto::DOUBLE;
}

bool canBeTrained(const onnx::TensorProto &tensor) { return canBeTrained(tensor.data_type()); }

void forEachRead(const onnx::NodeProto &node, llvm::function_ref<void(const std::string &)> visit) {
  for (const std::string &name : node.input())
    if (!name.empty())
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

/// Bytes of external data that are searched for infinities. Files of weights are large, and the
/// first rows of a mask have them.
constexpr size_t maxSearchedBytes = size_t(1) << 20;

/// Returns the raw bytes of a tensor, or the first bytes of its external data.
llvm::StringRef readSomeBytes(const onnx::TensorProto &tensor, TensorReader &reader) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
    return tensor.raw_data();
  // The import of the initializer reports errors.
  mlir::ScopedDiagnosticHandler quiet(&reader.getContext(),
                                      [](mlir::Diagnostic &) { return mlir::success(); });
  auto error = [&] { return mlir::emitError(mlir::UnknownLoc::get(&reader.getContext())); };
  std::optional<TensorData> data;
  if (!reader.isAbsent(tensor))
    data = reader.read(tensor, error);
  if (!data)
    return {};
  return llvm::StringRef(data->bytes.data(), data->bytes.size()).take_front(maxSearchedBytes);
}

/// Returns whether little-endian `bytes` hold an infinite number of type `Float`.
template <typename Float> bool holdInfinite(llvm::StringRef bytes) {
  using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
  for (; bytes.size() >= sizeof(Float); bytes = bytes.drop_front(sizeof(Float)))
    if (isInfinite(llvm::bit_cast<Float>(
            llvm::support::endian::read<Bits, llvm::endianness::little>(bytes.data()))))
      return true;
  return false;
}

/// Returns whether a tensor of f32 or f64 holds such a number.
bool isMask(const onnx::TensorProto &tensor, TensorReader &reader) {
  switch (tensor.data_type()) {
  case onnx::TensorProto::DOUBLE:
    return llvm::any_of(tensor.double_data(), isInfinite) ||
           holdInfinite<double>(readSomeBytes(tensor, reader));
  case onnx::TensorProto::FLOAT:
    return llvm::any_of(tensor.float_data(), isInfinite) ||
           holdInfinite<float>(readSomeBytes(tensor, reader));
  default:
    return false;
  }
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
bool mayBeTrained(const onnx::TensorProto &tensor, const ExportedModule &exported,
                  TensorReader &reader) {
  if (exported.isParameter(tensor.name()))
    return true;
  if (tensor.dims_size() == 0 || exported.isBuffer(tensor.name()) || isMask(tensor, reader))
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
                              const ExportedModule &exported, TensorReader &reader) {
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
    if (trained.contains(tensor.name()) && mayBeTrained(tensor, exported, reader))
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
