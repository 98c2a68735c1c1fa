// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores group norms first, then initializers folded from one parameter, then the operands of
// each traced node. For a traced node, the parameters that it reads are paired with the
// initializers of its ONNX nodes: by name or origin first, the rest by order. Contradictory pairs
// are reported and left unchanged.
#include "compiler/import/ExporterChanges.h"

#include "compiler/import/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace pcc::import {
namespace {

/// An operand of a node that is an initializer.
struct Read {
  onnx::NodeProto *node;
  int position;

  llvm::StringRef name() const { return node->input(position); }
};

/// Returns the tensors of the module that a traced node reads, in the order in which the nodes of
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

/// Returns the elements of a matrix of `rows` x `columns`, transposed.
std::string transposeElements(llvm::ArrayRef<char> bytes, int64_t rows, int64_t columns) {
  std::string result(bytes.size(), '\0');
  size_t size = bytes.empty() ? 0 : bytes.size() / (rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::copy_n(bytes.begin() + (row * columns + column) * size, size,
                  result.begin() + (column * rows + row) * size);
  return result;
}

/// Returns whether all slices along dimension `dim` of a tensor are equal.
bool hasEqualSlices(const TensorData &data, int64_t dim) {
  llvm::ArrayRef<int64_t> shape = data.type.getShape();
  size_t count = 1;
  for (int64_t size : shape.take_front(dim))
    count *= size;
  size_t size = shape[dim], slice = data.bytes.size() / (count * size);
  for (size_t outer = 0; outer < count; ++outer)
    for (size_t index = 1; index < size; ++index)
      if (data.bytes.slice(outer * size * slice, slice) !=
          data.bytes.slice((outer * size + index) * slice, slice))
        return false;
  return true;
}

class Restoration {
public:
  Restoration(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder, MLIRContext &context)
      : graph(*model->mutable_graph()), exported(graph), tensors(model, folder, context),
        context(context) {}

  Restored run();

private:
  using Initializers = std::map<std::string, onnx::TensorProto *, std::less<>>;

  void readGraph();
  void restoreFolded();
  bool restoreTransposed(const onnx::TensorProto &folded, llvm::StringRef target);
  bool restoreExpanded(const onnx::TensorProto &folded, llvm::StringRef target);
  void restoreGroupNorm(const FxNode &fx);
  void restoreChannels(onnx::NodeProto &node, llvm::StringRef target);
  std::string addShape(llvm::StringRef folded, llvm::ArrayRef<int64_t> shape);
  void restoreReads(const FxNode &fx);
  void restoreBuffer(const ExportedTensor &buffer);
  void reportUnread(const FxNode &fx, llvm::ArrayRef<llvm::StringRef> targets);
  bool restoreBias(const FxNode &fx, llvm::StringRef target);
  bool isCopyOf(llvm::StringRef initializer, llvm::StringRef target) const;
  bool mayReplace(const Read &read, const FxNode &fx) const;
  std::optional<TensorData> readData(const onnx::TensorProto &tensor);
  onnx::TensorProto *addInitializer(llvm::StringRef name, int32_t type,
                                    llvm::ArrayRef<int64_t> dims, std::string bytes);
  void computeInstead(const onnx::TensorProto &folded, onnx::NodeProto node);

  onnx::GraphProto &graph;
  ExportedModule exported;
  TensorReader tensors;
  MLIRContext &context;
  Initializers initializers;
  std::vector<FxNode> traced;                                  ///< in order, each name once
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *>> nodes; ///< by name of their traced node
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *>> readersOf;
  llvm::StringMap<std::string>
      sources; ///< by restored tensor: the initializer that it was merged with
  std::vector<std::string> contradictions;
  std::vector<onnx::NodeProto> added;
  llvm::StringSet<> replaced;                   ///< initializers that `added` computes
  llvm::StringMap<std::string> parameterOfList; ///< parameter of each reshaped list
};

void Restoration::readGraph() {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    initializers[tensor.name()] = &tensor;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (const std::string &name : node.input())
      readersOf[name].push_back(&node);
    std::optional<FxNode> fx = findFxNode(node);
    if (!fx)
      continue;
    if (!nodes.contains(fx->name))
      traced.push_back(*fx);
    nodes[fx->name].push_back(&node);
  }
}

std::optional<TensorData> Restoration::readData(const onnx::TensorProto &tensor) {
  if (tensors.isAbsent(tensor))
    return std::nullopt;
  ScopedDiagnosticHandler ignored(&context, [](Diagnostic &) { return success(); });
  return tensors.read(tensor, [&] { return emitError(UnknownLoc::get(&context)); });
}

onnx::TensorProto *Restoration::addInitializer(llvm::StringRef name, int32_t type,
                                               llvm::ArrayRef<int64_t> dims, std::string bytes) {
  onnx::TensorProto *tensor = graph.add_initializer();
  tensor->set_name(name.str());
  tensor->set_data_type(type);
  for (int64_t dim : dims)
    tensor->add_dims(dim);
  tensor->set_raw_data(std::move(bytes));
  return initializers[name.str()] = tensor;
}

/// Replaces the initializer `folded` by `node`, which computes its value.
void Restoration::computeInstead(const onnx::TensorProto &folded, onnx::NodeProto node) {
  node.set_name("restored_" + folded.name());
  node.add_output(folded.name());
  added.push_back(std::move(node));
  replaced.insert(folded.name());
}

/// Returns whether a traced node that only transposes a matrix has this name.
bool isTransposition(llvm::StringRef name) {
  auto [base, number] = name.rsplit('_');
  llvm::StringRef own = llvm::all_of(number, llvm::isDigit) ? base : name;
  return own == "permute" || own == "transpose" || own == "t" || own == "numpy_t";
}

/// Undoes the transpose of a weight: that of a linear layer, or one that the module computes, as in
/// `x @ weight.T`. If the file has the parameter too, because other nodes read it, both become one.
bool Restoration::restoreTransposed(const onnx::TensorProto &folded, llvm::StringRef target) {
  auto isLinear = [&](const onnx::NodeProto *node) {
    std::optional<FxNode> fx = findFxNode(*node);
    return fx && fx->operation.starts_with("aten.linear.") &&
           llvm::any_of(fx->arguments, [&](auto name) {
             return exported.isTensor(name) && exported.targetOf(name) == target;
           });
  };
  bool isInner = llvm::StringRef(folded.name()).starts_with("val_");
  bool isTransposed = isInner ? llvm::all_of(readersOf.lookup(folded.name()), isLinear)
                              : isTransposition(folded.name());
  if (folded.dims_size() != 2 || exported.foldedFrom(folded.name()).size() != 1 || !isTransposed)
    return false;
  std::optional<TensorData> data = readData(folded);
  if (!data)
    return false;
  int64_t rows = folded.dims(0), columns = folded.dims(1);
  std::string bytes = transposeElements(data->bytes, rows, columns);
  if (auto present = initializers.find(target); present != initializers.end()) {
    std::optional<TensorData> other = readData(*present->second);
    if (!other || other->type.getShape() != llvm::ArrayRef({columns, rows}) ||
        other->bytes != llvm::ArrayRef<char>(bytes))
      return false;
  } else {
    addInitializer(target, folded.data_type(), {columns, rows}, std::move(bytes));
  }
  onnx::NodeProto node;
  node.set_op_type("Transpose");
  node.add_input(target.str());
  onnx::AttributeProto *order = node.add_attribute();
  order->set_name("perm");
  order->set_type(onnx::AttributeProto::INTS);
  order->add_ints(1);
  order->add_ints(0);
  computeInstead(folded, std::move(node));
  return true;
}

/// Adds an initializer that holds `shape`, for the node that computes `folded`; returns its name.
std::string Restoration::addShape(llvm::StringRef folded, llvm::ArrayRef<int64_t> shape) {
  std::string bytes;
  for (int64_t size : shape)
    for (int byte = 0; byte < 8; ++byte)
      bytes.push_back(static_cast<char>(static_cast<uint64_t>(size) >> (8 * byte)));
  std::string name = (folded + ".restored_shape").str();
  addInitializer(name, onnx::TensorProto::INT64, {static_cast<int64_t>(shape.size())},
                 std::move(bytes));
  return name;
}

/// Undoes the expansion of a parameter along its first dimension. The elements must show that no
/// other dimension was expanded.
bool Restoration::restoreExpanded(const onnx::TensorProto &folded, llvm::StringRef target) {
  auto isConstant = [&](llvm::StringRef name) {
    return name == target || name.starts_with("val_");
  };
  llvm::StringRef name = folded.name();
  if ((name != "expand" && !name.starts_with("expand_")) || initializers.contains(target.str()) ||
      !llvm::all_of(exported.foldedFrom(name), isConstant) || folded.dims_size() == 0)
    return false;
  std::optional<TensorData> data = readData(folded);
  if (!data || data->bytes.empty())
    return false;
  llvm::SmallVector<int64_t> shape(data->type.getShape());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > 1 && hasEqualSlices(*data, dim) != (dim == 0))
      return false;
  llvm::ArrayRef<char> row = data->bytes.take_front(data->bytes.size() / shape[0]);
  std::string shapeName = addShape(name, shape);
  shape[0] = 1;
  addInitializer(target, folded.data_type(), shape, std::string(row.begin(), row.end()));
  onnx::NodeProto node;
  node.set_op_type("Expand");
  node.add_input(target.str());
  node.add_input(shapeName);
  computeInstead(folded, std::move(node));
  return true;
}

/// Undoes the reshape of the scale and bias of a group norm, which the module stores as a list of
/// channels: [16, 1, 1] was [16]. The Mul and the Add of each group norm get a list of their own,
/// because the exporter merges equal ones.
void Restoration::restoreGroupNorm(const FxNode &fx) {
  if (!fx.operation.starts_with("aten.group_norm."))
    return;
  llvm::SmallVector<llvm::StringRef> placeholders = listTensorsRead(fx, exported);
  for (onnx::NodeProto *node : nodes.lookup(fx.name))
    if (!placeholders.empty() && (node->op_type() == "Mul" || node->op_type() == "Add"))
      restoreChannels(*node, exported.targetOf(node->op_type() == "Mul" ? placeholders.front()
                                                                        : placeholders.back()));
}

/// Lets `node` read the list of channels `target` in place of an initializer of [C, 1, 1].
void Restoration::restoreChannels(onnx::NodeProto &node, llvm::StringRef target) {
  for (int position = 0; position < node.input_size(); ++position) {
    auto found = initializers.find(node.input(position));
    if (found == initializers.end() || initializers.contains(target.str()))
      continue;
    const onnx::TensorProto &folded = *found->second;
    bool isList =
        folded.dims_size() > 0 && !exported.isTarget(folded.name()) &&
        llvm::all_of(llvm::drop_begin(folded.dims()), [](int64_t size) { return size == 1; });
    std::optional<TensorData> data = isList ? readData(folded) : std::nullopt;
    if (!data)
      continue;
    std::string name = (folded.name() + "." + target).str();
    addInitializer(target, folded.data_type(), {folded.dims(0)},
                   std::string(data->bytes.begin(), data->bytes.end()));
    if (folded.dims_size() == 1) { // the input of the group norm has no dimensions but channels
      node.set_input(position, target.str());
      continue;
    }
    onnx::NodeProto &reshape = added.emplace_back();
    reshape.set_op_type("Reshape");
    reshape.set_name("restored_" + name);
    reshape.add_input(target.str());
    reshape.add_input(addShape(name, data->type.getShape()));
    reshape.add_output(name);
    node.set_input(position, name);
    parameterOfList[name] = target.str();
  }
}

/// Replaces initializers that the exporter computed from one parameter by that computation.
void Restoration::restoreFolded() {
  std::vector<onnx::TensorProto *> present;
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    present.push_back(&tensor); // the field grows below; protobuf never moves its elements
  for (onnx::TensorProto *tensor : present) {
    llvm::SmallVector<llvm::StringRef> targets;
    llvm::copy_if(exported.foldedFrom(tensor->name()), std::back_inserter(targets),
                  [&](llvm::StringRef name) { return exported.isParameter(name); });
    if (targets.size() == 1 && !exported.isParameter(tensor->name()))
      (void)(restoreTransposed(*tensor, targets[0]) || restoreExpanded(*tensor, targets[0]));
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
  auto tensor = initializers.find(read.name());
  if (tensor == initializers.end() || !canBeTrained(*tensor->second))
    return false;
  if (fx.operation.starts_with("aten.group_norm.") &&
      read.node->op_type() == "InstanceNormalization")
    return false;
  return tensor->second->dims_size() > 0 || exported.isParameter(read.name()) ||
         exported.isBuffer(read.name());
}

/// Adds the bias of zeros that the exporter removed from a node of `fx`; returns whether it did.
bool Restoration::restoreBias(const FxNode &fx, llvm::StringRef target) {
  llvm::ArrayRef<onnx::NodeProto *> all = nodes.find(fx.name)->second;
  auto removed = llvm::find_if(all, [](const onnx::NodeProto *node) {
    return findRewriteRule(*node).starts_with("RemoveOptionalBias") && node->input_size() == 2;
  });
  if (removed == all.end() || initializers.contains(target.str()))
    return false;
  onnx::NodeProto &node = **removed;
  auto weight = initializers.find(node.input(1));
  if (weight == initializers.end() || !canBeTrained(*weight->second))
    return false;
  const onnx::TensorProto &tensor = *weight->second;
  auto attribute = [&](llvm::StringRef name, int64_t otherwise) {
    for (const onnx::AttributeProto &entry : node.attribute())
      if (entry.name() == name)
        return entry.i();
    return otherwise;
  };
  int64_t size = 0;
  if (node.op_type() == "Conv" && tensor.dims_size() > 2)
    size = tensor.dims(0);
  else if (node.op_type() == "ConvTranspose" && tensor.dims_size() > 2)
    size = tensor.dims(1) * attribute("group", 1);
  else if (node.op_type() == "Gemm" && tensor.dims_size() == 2)
    size = tensor.dims(attribute("transB", 0) ? 0 : 1);
  if (size <= 0)
    return false;
  int32_t type = tensor.data_type();
  size_t width = type == onnx::TensorProto::DOUBLE ? 8 : type == onnx::TensorProto::FLOAT ? 4 : 2;
  addInitializer(target, tensor.data_type(), {size}, std::string(size * width, '\0'));
  node.add_input(target.str());
  return true;
}

/// Reports parameters that the file has, but that the nodes of a traced node do not read as the
/// module does. Rewritten nodes stand for several traced nodes but name only one.
void Restoration::reportUnread(const FxNode &fx, llvm::ArrayRef<llvm::StringRef> targets) {
  auto isRewritten = [](const onnx::NodeProto *node) { return !findRewriteRule(*node).empty(); };
  if (llvm::any_of(nodes.find(fx.name)->second, isRewritten))
    return;
  for (llvm::StringRef target : targets)
    if (exported.isParameter(target) && initializers.contains(target.str()))
      contradictions.push_back(("'" + target + "' is not read by '" + fx.name + "'").str());
}

/// Gives the nodes of a traced node the tensors that it reads in the module. Tensors that the file
/// has under their own names are recognized by them, the others by their order.
void Restoration::restoreReads(const FxNode &fx) {
  llvm::SmallVector<llvm::StringRef> targets;
  for (llvm::StringRef placeholder : listTensorsRead(fx, exported))
    targets.push_back(exported.targetOf(placeholder));
  llvm::SmallVector<Read> reads;
  for (onnx::NodeProto *node : nodes.find(fx.name)->second)
    for (int position = 0; position < node->input_size(); ++position)
      if (Read read{node, position}; mayReplace(read, fx) || replaced.contains(read.name()) ||
                                     parameterOfList.contains(read.name()))
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
    if (replaced.contains(read.name()))
      continue;
    // Two readers of one tensor must have found it merged with the same initializer.
    auto [source, isFirst] = sources.try_emplace(target, read.name().str());
    if (source->second != read.name() || (isFirst && initializers.contains(target.str()))) {
      llvm::StringRef other = isFirst ? target : llvm::StringRef(source->second);
      contradictions.push_back(
          ("'" + target + "' is read as '" + other + "' and as '" + read.name() + "'").str());
      continue;
    }
    if (!initializers.contains(target.str())) {
      onnx::TensorProto *copy = graph.add_initializer();
      *copy = *initializers.find(read.name())->second;
      copy->set_name(target.str());
      initializers[target.str()] = copy;
    }
    read.node->set_input(read.position, target.str());
  }
}

/// Adds a saved buffer that the exporter merged with an equal one. The node that reads it in the
/// module then reads a buffer that it does not name.
void Restoration::restoreBuffer(const ExportedTensor &buffer) {
  if (initializers.contains(buffer.target))
    return;
  auto isMerged = [&](const FxNode &fx, llvm::StringRef name) {
    return initializers.contains(name) && exported.isBuffer(name) &&
           llvm::none_of(fx.arguments, [&](llvm::StringRef argument) {
             return exported.targetOf(argument) == name;
           });
  };
  llvm::StringSet<> found;
  for (const FxNode &fx : traced)
    if (fx.reads(buffer.placeholder))
      for (const onnx::NodeProto *node : nodes.find(fx.name)->second)
        for (const std::string &name : node->input())
          if (isMerged(fx, name))
            found.insert(name);
  if (found.size() != 1)
    return;
  onnx::TensorProto *copy = graph.add_initializer();
  *copy = *initializers.find(found.begin()->getKey())->second;
  copy->set_name(buffer.target.str());
  initializers[buffer.target.str()] = copy;
}

Restored Restoration::run() {
  if (!exported.listsParameters())
    return {};
  readGraph();
  for (const FxNode &fx : traced)
    restoreGroupNorm(fx);
  restoreFolded();
  for (const FxNode &fx : traced)
    restoreReads(fx);
  for (const ExportedTensor &buffer : exported.savedBuffers())
    restoreBuffer(buffer);
  auto *tensors = graph.mutable_initializer();
  tensors->erase(std::remove_if(tensors->begin(), tensors->end(),
                                [&](const onnx::TensorProto &tensor) {
                                  return replaced.contains(tensor.name());
                                }),
                 tensors->end());
  auto *list = graph.mutable_node();
  for (onnx::NodeProto &node : added)
    *list->Add() = std::move(node);
  auto count = static_cast<int64_t>(added.size());
  std::rotate(list->begin(), list->end() - count, list->end());
  return {count, std::move(contradictions)};
}

} // namespace

Restored restoreParameters(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                           MLIRContext &context) {
  return Restoration(std::move(model), folder, context).run();
}

} // namespace pcc::import
