// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores group norms first, then initializers folded from one parameter, then the operands of
// each fx node. For an fx node, the parameters that it reads are paired with the
// initializers of its ONNX nodes: by name or origin first, the rest by order. Contradictory pairs
// are reported and left unchanged.
#include "compiler/import/restore/ExporterChanges.h"

#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/restore/RestorationSteps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// An operand of a node that is an initializer.
struct Read {
  onnx::NodeProto *node;
  int position;

  llvm::StringRef name() const { return node->input(position); }
};

/// Returns the tensors of the module that an fx node reads, in the order in which the nodes of
/// its ONNX form read them.
llvm::SmallVector<llvm::StringRef> listTensorsRead(const FxNode &fx,
                                                   const ExportedModule &exported) {
  llvm::SmallVector<llvm::StringRef> placeholders;
  llvm::copy_if(fx.arguments, std::back_inserter(placeholders),
                [&](llvm::StringRef name) { return exported.isTensor(name); });
  // The term that these operators add is their first argument, and Gemm's last input.
  bool addsFirst =
      fx.operation.starts_with("aten.addmm.") || fx.operation.starts_with("aten.baddbmm.");
  if (addsFirst && !fx.arguments.empty() && exported.isTensor(fx.arguments.front()))
    std::rotate(placeholders.begin(), placeholders.begin() + 1, placeholders.end());
  return placeholders;
}

class Restoration {
public:
  Restoration(const std::shared_ptr<onnx::ModelProto> &model, llvm::StringRef folder,
              MLIRContext &context)
      : graph(model->graph()), exported(graph), traced(*model->mutable_graph()),
        edits(model, folder, context) {}

  Restored run();

private:
  void restoreGroupNorm(const FxNode &fx);
  void restoreUnits(onnx::NodeProto &node);
  void restoreChannels(onnx::NodeProto &node, llvm::StringRef target);
  void restoreReads(const FxNode &fx);
  void restoreTwin(const FxNode &fx, const Read &read, llvm::StringRef target);
  void restoreBuffer(const ExportedTensor &buffer);
  void reportUnread(const FxNode &fx, llvm::ArrayRef<llvm::StringRef> targets);
  std::pair<int32_t, int64_t> findChannels(const onnx::NodeProto &node) const;
  bool restoreBias(const FxNode &fx, llvm::StringRef target);
  bool isCopyOf(llvm::StringRef initializer, llvm::StringRef target) const;
  bool mayReplace(const Read &read, const FxNode &fx) const;

  const onnx::GraphProto &graph;
  ExportedModule exported;
  TracedGraph traced;
  InitializerEdits edits;
  llvm::StringMap<std::string>
      sources; ///< by restored tensor: the initializer that it was merged with
  std::vector<std::string> contradictions;
  llvm::StringMap<std::string> parameterOfList; ///< parameter of each reshaped list
};

/// Undoes the reshape of the scale and bias of a group norm, which the module stores as a list of
/// channels: [16, 1, 1] was [16]. The Mul and the Add of each group norm get a list of their own,
/// because the exporter merges equal ones.
void Restoration::restoreGroupNorm(const FxNode &fx) {
  if (!fx.operation.starts_with("aten.group_norm."))
    return;
  llvm::SmallVector<llvm::StringRef> placeholders = listTensorsRead(fx, exported);
  for (onnx::NodeProto *node : traced.nodesOf(fx)) {
    if (node->op_type() == "InstanceNormalization")
      restoreUnits(*node);
    if (!placeholders.empty() && (node->op_type() == "Mul" || node->op_type() == "Add"))
      restoreChannels(*node, exported.targetOf(node->op_type() == "Mul" ? placeholders.front()
                                                                        : placeholders.back()));
  }
}

/// Gives a node of a group norm the constants of one and zero with which it normalizes, if they are
/// merged with tensors of the module.
void Restoration::restoreUnits(onnx::NodeProto &node) {
  for (int position = 1; position < node.input_size() && node.output_size() > 0; ++position) {
    const onnx::TensorProto *merged = edits.find(node.input(position));
    if (!merged || !exported.isTarget(merged->name()))
      continue;
    std::string name = node.output(0) + ".unit_" + std::to_string(position);
    edits.addCopyOfTensor(name, *merged);
    node.set_input(position, name);
  }
}

/// Lets `node` read the list of channels `target` in place of an initializer of [C, 1, 1].
void Restoration::restoreChannels(onnx::NodeProto &node, llvm::StringRef target) {
  for (int position = 0; position < node.input_size(); ++position) {
    const onnx::TensorProto *found = edits.find(node.input(position));
    if (!found || edits.has(target))
      continue;
    const onnx::TensorProto &folded = *found;
    bool isList =
        folded.dims_size() > 0 && !exported.isTarget(folded.name()) &&
        llvm::all_of(llvm::drop_begin(folded.dims()), [](int64_t size) { return size == 1; });
    std::optional<TensorData> data = isList ? edits.read(folded) : std::nullopt;
    if (!data)
      continue;
    std::string name = (folded.name() + "." + target).str();
    edits.addParameter(target, folded, {folded.dims(0)},
                       std::string(data->bytes.begin(), data->bytes.end()));
    if (folded.dims_size() == 1) { // the input of the group norm has no dimensions but channels
      node.set_input(position, target.str());
      continue;
    }
    edits.addNode("Reshape", {target, edits.addIntegers(name, data->type.getShape())}, name);
    node.set_input(position, name);
    parameterOfList[name] = target.str();
  }
}

/// Returns whether the initializer holds the tensor `target` of the module.
bool Restoration::isCopyOf(llvm::StringRef initializer, llvm::StringRef target) const {
  return initializer == target || parameterOfList.lookup(initializer) == target ||
         llvm::is_contained(exported.foldedFrom(initializer), target);
}

/// Returns whether the initializer at `read` may have replaced a tensor of the module. Scalars that
/// the module does not list are constants of an operator. So are the unit scale and the zero bias
/// with which a group norm normalizes before it applies its own.
bool Restoration::mayReplace(const Read &read, const FxNode &fx) const {
  const onnx::TensorProto *tensor = edits.find(read.name());
  if (!tensor || !canBeTrained(*tensor))
    return false;
  if (fx.operation.starts_with("aten.group_norm.") &&
      read.node->op_type() == "InstanceNormalization")
    return false;
  return tensor->dims_size() > 0 || exported.isParameter(read.name()) ||
         exported.isBuffer(read.name());
}

/// Returns the type and the number of the channels that a Conv, ConvTranspose or Gemm computes. If
/// its weight is no initializer, the file must record the shape of the result. The import of the
/// node checks it.
std::pair<int32_t, int64_t> Restoration::findChannels(const onnx::NodeProto &node) const {
  bool isGemm = node.op_type() == "Gemm";
  if (const onnx::TensorProto *weight = edits.find(node.input(1))) {
    int dim = isGemm ? findInteger(node, "transB", 0) == 0 : node.op_type() == "ConvTranspose";
    if (weight->dims_size() < 2)
      return {0, 0};
    int64_t groups = node.op_type() == "ConvTranspose" ? findInteger(node, "group", 1) : 1;
    return {weight->data_type(), weight->dims(dim) * groups};
  }
  for (const onnx::ValueInfoProto &value : graph.value_info())
    if (const onnx::TypeProto::Tensor &type = value.type().tensor_type();
        llvm::is_contained(node.output(), value.name()) && type.shape().dim_size() > 1)
      return {type.elem_type(), type.shape().dim(1).dim_value()};
  return {0, 0};
}

/// Adds the bias of zeros that the exporter removed from a node of `fx`; returns whether it did.
bool Restoration::restoreBias(const FxNode &fx, llvm::StringRef target) {
  llvm::ArrayRef<onnx::NodeProto *> all = traced.nodesOf(fx);
  auto removed = llvm::find_if(all, [](const onnx::NodeProto *node) {
    return findRewriteRule(*node).starts_with("RemoveOptionalBias") && node->input_size() == 2;
  });
  if (removed == all.end() || edits.has(target))
    return false;
  onnx::NodeProto &node = **removed;
  auto [type, size] = findChannels(node);
  if (!canBeTrained(type) || size <= 0)
    return false;
  size_t width = type == onnx::TensorProto::DOUBLE ? 8 : type == onnx::TensorProto::FLOAT ? 4 : 2;
  edits.add(target, type, {size}, std::string(size * width, '\0'));
  node.add_input(target.str());
  return true;
}

/// Reports parameters that the file has, but that the nodes of an fx node do not read as the
/// module does. Rewritten nodes stand for several fx nodes but name only one.
void Restoration::reportUnread(const FxNode &fx, llvm::ArrayRef<llvm::StringRef> targets) {
  auto isRewritten = [](const onnx::NodeProto *node) { return !findRewriteRule(*node).empty(); };
  if (llvm::any_of(traced.nodesOf(fx), isRewritten))
    return;
  for (llvm::StringRef target : targets)
    if (exported.isParameter(target) && edits.has(target))
      contradictions.push_back(("'" + target + "' is not read by '" + fx.name + "'").str());
}

/// Lets a node read the parameter `target` in place of an equal one, which was stored in the same
/// form for another fx node of the same operator.
void Restoration::restoreTwin(const FxNode &fx, const Read &read, llvm::StringRef target) {
  const onnx::NodeProto *node = edits.findNode(read.name());
  auto isAlike = [&](const onnx::NodeProto *reader) {
    std::optional<FxNode> other = findFxNode(*reader);
    return other && other->operation == fx.operation &&
           other->reads(exported.placeholderOf(node->input(0)));
  };
  if (node && llvm::any_of(traced.readersOf.lookup(read.name()), isAlike))
    if (std::string name = copyForTwin(read.name(), target, exported, traced, edits); !name.empty())
      read.node->set_input(read.position, name);
}

/// Gives the nodes of an fx node the tensors that it reads in the module. Tensors that the file
/// has under their own names are recognized by them, the others by their order.
void Restoration::restoreReads(const FxNode &fx) {
  llvm::SmallVector<llvm::StringRef> targets;
  for (llvm::StringRef placeholder : listTensorsRead(fx, exported))
    targets.push_back(exported.targetOf(placeholder));
  llvm::SmallVector<Read> reads;
  for (onnx::NodeProto *node : traced.nodesOf(fx))
    for (int position = 0; position < node->input_size(); ++position)
      if (Read read{node, position};
          !fx.reads(read.name()) && (mayReplace(read, fx) || edits.isReplaced(read.name()) ||
                                     parameterOfList.contains(read.name())))
        reads.push_back(read);
  llvm::erase_if(targets, [&](llvm::StringRef target) {
    auto own = llvm::find_if(reads, [&](Read read) { return isCopyOf(read.name(), target); });
    if (own == reads.end())
      return false;
    reads.erase(own);
    return true;
  });
  // Other tensors than parameters may hold integers, which `reads` lacks. If they are merged, then
  // with another tensor of the module.
  if (llvm::none_of(reads, [&](Read read) { return exported.isTarget(read.name()); }))
    llvm::erase_if(targets, [&](llvm::StringRef target) { return !exported.isParameter(target); });
  // The bias is the last tensor of these operators. Their weight may be merged besides.
  if (targets.size() == reads.size() + 1 && restoreBias(fx, targets.back()))
    targets.pop_back();
  if (targets.size() != reads.size())
    return reportUnread(fx, targets);
  for (auto [target, read] : llvm::zip_equal(targets, reads)) {
    if (edits.isReplaced(read.name())) {
      restoreTwin(fx, read, target);
      continue;
    }
    // Two readers of one tensor must have found it merged with the same initializer.
    auto [source, isFirst] = sources.try_emplace(target, read.name().str());
    if (source->second != read.name() || (isFirst && edits.has(target))) {
      llvm::StringRef other = isFirst ? target : llvm::StringRef(source->second);
      contradictions.push_back(
          ("'" + target + "' is read as '" + other + "' and as '" + read.name() + "'").str());
      continue;
    }
    if (!edits.has(target))
      edits.addCopyOfTensor(target, *edits.find(read.name()));
    read.node->set_input(read.position, target.str());
  }
}

/// Adds a saved buffer that the exporter merged with an equal one. The node that reads it in the
/// module then reads a buffer that it does not name.
void Restoration::restoreBuffer(const ExportedTensor &buffer) {
  if (edits.has(buffer.target))
    return;
  auto isMerged = [&](const FxNode &fx, llvm::StringRef name) {
    return edits.has(name) && exported.isBuffer(name) &&
           llvm::none_of(fx.arguments, [&](llvm::StringRef argument) {
             return exported.targetOf(argument) == name;
           });
  };
  llvm::StringSet<> found;
  for (const FxNode &fx : traced.traced)
    if (fx.reads(buffer.placeholder))
      for (const onnx::NodeProto *node : traced.nodesOf(fx))
        for (const std::string &name : node->input())
          if (isMerged(fx, name))
            found.insert(name);
  if (found.size() != 1)
    return;
  edits.addCopyOfTensor(buffer.target, *edits.find(found.begin()->getKey()));
}

Restored Restoration::run() {
  if (!exported.listsParameters())
    return {};
  for (const FxNode &fx : traced.traced)
    restoreGroupNorm(fx);
  for (const onnx::TensorProto *tensor : edits.list())
    restoreFolded(*tensor, exported, traced, edits);
  for (const FxNode &fx : traced.traced)
    if (!restoreRecurrent(fx, exported, traced, edits))
      restoreReads(fx);
  for (const FxNode &fx : traced.traced)
    restoreTwins(fx, exported, traced, edits, contradictions);
  for (const ExportedTensor &buffer : exported.savedBuffers())
    restoreBuffer(buffer);
  int64_t count = edits.finish();
  return {count, std::move(contradictions), edits.twins(), edits.lacksData()};
}

} // namespace

Restored restoreParameters(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                           MLIRContext &context) {
  return Restoration(model, folder, context).run();
}

} // namespace pcc::import
