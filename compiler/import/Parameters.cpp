// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Parameters.h"

#include "compiler/import/Operators.h"
#include "compiler/import/onnx.pb.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

namespace pcc::import {
namespace {

/// Whether a parameter can have such elements; f64 is a type of constants alone.
bool canBeTrained(int32_t dataType) {
  return dataType == onnx::TensorProto::FLOAT || dataType == onnx::TensorProto::FLOAT16 ||
         dataType == onnx::TensorProto::BFLOAT16;
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

/// The values that depend on an input of the graph, rather than on initializers and shapes alone.
llvm::StringSet<> findComputed(const onnx::GraphProto &graph) {
  llvm::StringSet<> initializers, computed;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto &input : graph.input())
    if (!initializers.contains(input.name()))
      computed.insert(input.name());
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() != "Shape" && node.op_type() != "Size" &&
        llvm::any_of(node.input(), [&](const auto &name) { return computed.contains(name); }))
      for (const std::string &name : node.output())
        computed.insert(name);
  return computed;
}

/// Adds the values from which a gradient flows to one of `names`: one walk against the order of the
/// nodes. None flows through cosines and sines of what no input of the graph has a part in: these
/// are tables of angles, as of positions.
void addDifferentiable(const onnx::GraphProto &graph, int64_t opset, llvm::StringSet<> &names) {
  llvm::StringSet<> computed = findComputed(graph);
  for (const onnx::NodeProto &node : llvm::reverse(graph.node())) {
    if (llvm::none_of(node.output(), [&](const auto &name) { return names.contains(name); }))
      continue;
    bool isAngle = node.op_type() == "Cos" || node.op_type() == "Sin";
    if (isAngle && node.input_size() == 1 && !computed.contains(node.input(0)))
      continue;
    const Operator *row = findOperator(node.op_type(), opset);
    uint32_t gradients = row ? row->gradients : AllInputs;
    for (auto [position, name] : llvm::enumerate(node.input()))
      if (gradients >> std::min<size_t>(position, 31) & 1)
        names.insert(name);
  }
}

/// The text of an entry; empty if there is none.
template <typename Entries> llvm::StringRef findEntry(const Entries &entries, llvm::StringRef key) {
  for (const onnx::StringStringEntryProto &entry : entries)
    if (entry.key() == key)
      return entry.value();
  return "";
}

/// What an exporter says of the module that it exported: torch.export's signature, a line for each
/// of its tensors,
///
///   p_head_weight: PARAMETER target='head.weight'
///   b_freq: BUFFER target='freq' persistent=True
///
/// and, of each initializer that it computed itself, the names of what from: "['arange', 'freq']".
class ExportedModule {
public:
  explicit ExportedModule(const onnx::GraphProto &graph);

  /// Whether the initializer is known to be no parameter of the module, nor computed from one.
  bool isBuffer(llvm::StringRef initializer) const;

private:
  llvm::StringSet<> parameters, buffers;
  llvm::StringMap<llvm::StringRef> foldedFrom; ///< by initializer
};

ExportedModule::ExportedModule(const onnx::GraphProto &graph) {
  llvm::StringRef signature =
      findEntry(graph.metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature");
  llvm::SmallVector<llvm::StringRef> lines;
  signature.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::StringRef target = line.split("target='").second.split('\'').first;
    if (line.contains(": PARAMETER "))
      parameters.insert(target);
    else if (line.contains(": BUFFER "))
      buffers.insert(target);
  }
  for (const onnx::ValueInfoProto &value : graph.value_info())
    if (llvm::StringRef names =
            findEntry(value.metadata_props(), "pkg.onnxscript.optimizer.folded_from");
        !names.empty())
      foldedFrom[value.name()] = names;
}

bool ExportedModule::isBuffer(llvm::StringRef initializer) const {
  if (buffers.contains(initializer))
    return true;
  auto folded = foldedFrom.find(initializer);
  if (parameters.empty() || folded == foldedFrom.end())
    return false;
  llvm::SmallVector<llvm::StringRef> parts;
  folded->second.split(parts, '\'');
  return llvm::none_of(parts, [&](llvm::StringRef name) { return parameters.contains(name); });
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
  ExportedModule exported(graph);
  ParameterNames parameters;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (!canBeTrained(tensor.data_type()) || tensor.dims_size() == 0 || isMask(tensor))
      continue;
    if (trained.contains(tensor.name()) && !exported.isBuffer(tensor.name()))
      parameters.trained.insert(tensor.name());
    else if (states.contains(tensor.name()))
      parameters.states.insert(tensor.name());
  }
  return parameters;
}

} // namespace pcc::import
