// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the nodes of the file with the shapes of their tensors, and the shardings that the file
// gives them (passes/analysis/names/FileNodes.h).

#include "compiler/import/OnnxImporter.h"
#include "compiler/import/configurations/DeviceShardings.h"
#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::import {

/// Returns the model without weights and attributes. Import changes the nodes of the model later.
static std::shared_ptr<onnx::ModelProto> copyNodes(const onnx::ModelProto &model) {
  auto copy = std::make_shared<onnx::ModelProto>();
  *copy->mutable_configuration() = model.configuration();
  *copy->mutable_metadata_props() = model.metadata_props();
  for (const onnx::NodeProto &node : model.graph().node()) {
    onnx::NodeProto &added = *copy->mutable_graph()->add_node();
    added.set_name(node.name());
    *added.mutable_input() = node.input();
    *added.mutable_output() = node.output();
    *added.mutable_metadata_props() = node.metadata_props();
    *added.mutable_device_configurations() = node.device_configurations();
  }
  return copy;
}

void OnnxImporter::keepNodes(const ImportOptions &options) {
  recordsNodes = options.recordsNodes;
  if (recordsNodes || givesShardings(*model, configuration))
    fileNodes = copyNodes(*model);
}

/// Returns the order of dimensions in which the node reads its only input; nothing if the node also
/// changes elements.
static std::optional<SmallVector<int64_t>> findOrder(const onnx::NodeProto &node, int64_t rank) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (node.op_type() == "Identity" || node.op_type() == "Cast")
    return order;
  if (node.op_type() != "Transpose")
    return std::nullopt;
  std::reverse(order.begin(), order.end());
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == "perm")
      order.assign(attribute.ints().begin(), attribute.ints().end());
  return order;
}

LogicalResult OnnxImporter::recordNodes() {
  if (!fileNodes)
    return success();
  analysis::FileNodes file;
  file.file = path;
  file.isKept = recordsNodes;
  for (const onnx::NodeProto &node : fileNodes->graph().node()) {
    file.nodes.push_back(
        {{node.input().begin(), node.input().end()}, {node.output().begin(), node.output().end()}});
    for (const auto *names : {&node.input(), &node.output()})
      for (const std::string &name : *names)
        if (auto value = values.find(name); value != values.end() && value->second.type)
          file.shapes[name] = SmallVector<int64_t>(value->second.shape());
  }
  for (const onnx::NodeProto &node : graph.node()) {
    auto value = node.output_size() > 0 ? values.find(node.output(0)) : values.end();
    if (value == values.end() || !value->second.type || node.input_size() != 1)
      continue;
    if (auto order = findOrder(node, value->second.rank()))
      file.views[node.output(0)] = {node.input(0), std::move(*order)};
  }
  if (givesShardings(*fileNodes, configuration) &&
      failed(ShardingReader(*fileNodes, path, configuration, context).read(file)))
    return failure();
  file.write(*module);
  return success();
}

} // namespace pcc::import
