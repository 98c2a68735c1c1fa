// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds initializers at once, and collects new nodes until `finish`. Protobuf never moves the
// elements of a repeated field, so pointers to initializers and nodes stay valid while others are
// added. `finish` rotates and erases elements: pointers then refer to others.
#include "compiler/import/restore/RestorationSteps.h"

#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::import {

TracedGraph::TracedGraph(onnx::GraphProto &graph) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (const std::string &name : node.input())
      readersOf[name].push_back(&node);
    for (const std::string &name : node.output())
      producers[name] = &node;
    std::optional<FxNode> fx = findFxNode(node);
    if (!fx)
      continue;
    if (!nodes.contains(fx->name))
      traced.push_back(*fx);
    nodes[fx->name].push_back(&node);
  }
}

llvm::ArrayRef<onnx::NodeProto *> TracedGraph::nodesOf(const FxNode &fx) const {
  auto found = nodes.find(fx.name);
  return found == nodes.end() ? llvm::ArrayRef<onnx::NodeProto *>() : found->second;
}

InitializerEdits::InitializerEdits(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                                   MLIRContext &context)
    : graph(*model->mutable_graph()), tensors(model, folder, context), context(context) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    initializers[tensor.name()] = &tensor;
}

onnx::TensorProto *InitializerEdits::find(llvm::StringRef name) const {
  auto found = initializers.find(name);
  return found == initializers.end() ? nullptr : found->second;
}

std::optional<TensorData> InitializerEdits::read(const onnx::TensorProto &tensor) {
  if (tensors.isAbsent(tensor)) {
    foundAbsent = true;
    return std::nullopt;
  }
  ScopedDiagnosticHandler ignored(&context, [](Diagnostic &) { return success(); });
  return tensors.read(tensor, [&] { return emitError(UnknownLoc::get(&context)); });
}

std::vector<onnx::TensorProto *> InitializerEdits::list() const {
  std::vector<onnx::TensorProto *> all;
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    all.push_back(&tensor);
  return all;
}

onnx::TensorProto *InitializerEdits::add(llvm::StringRef name, int32_t type,
                                         llvm::ArrayRef<int64_t> dims, std::string bytes) {
  onnx::TensorProto *tensor = graph.add_initializer();
  tensor->set_name(name.str());
  tensor->set_data_type(type);
  for (int64_t dim : dims)
    tensor->add_dims(dim);
  tensor->set_raw_data(std::move(bytes));
  return initializers[name.str()] = tensor;
}

bool InitializerEdits::addParameter(llvm::StringRef target, const onnx::TensorProto &like,
                                    llvm::ArrayRef<int64_t> dims, std::string bytes) {
  const onnx::TensorProto *present = find(target);
  if (!present) {
    add(target, like.data_type(), dims, std::move(bytes));
    return true;
  }
  std::optional<TensorData> data = read(*present);
  return data && present->data_type() == like.data_type() && data->type.getShape() == dims &&
         data->bytes == llvm::ArrayRef<char>(bytes);
}

void InitializerEdits::addCopyOfTensor(llvm::StringRef target, const onnx::TensorProto &source) {
  onnx::TensorProto *copy = graph.add_initializer();
  *copy = source;
  copy->set_name(target.str());
  initializers[target.str()] = copy;
  twinList.emplace_back(target, source.name());
}

std::string InitializerEdits::addIntegers(llvm::StringRef result, llvm::ArrayRef<int64_t> numbers) {
  std::string bytes;
  for (int64_t number : numbers)
    for (int byte = 0; byte < 8; ++byte)
      bytes.push_back(static_cast<char>(static_cast<uint64_t>(number) >> (8 * byte)));
  std::string name = (result + ".restored_shape").str();
  add(name, onnx::TensorProto::INT64, {static_cast<int64_t>(numbers.size())}, std::move(bytes));
  return name;
}

onnx::NodeProto &InitializerEdits::addNode(llvm::StringRef operation,
                                           llvm::ArrayRef<llvm::StringRef> inputs,
                                           llvm::StringRef output) {
  onnx::NodeProto &node = *added.emplace_back(std::make_unique<onnx::NodeProto>());
  node.set_op_type(operation.str());
  node.set_name(("restored_" + output).str());
  for (llvm::StringRef input : inputs)
    node.add_input(input.str());
  node.add_output(output.str());
  computed[output] = &node;
  return node;
}

onnx::NodeProto &InitializerEdits::computeInstead(const onnx::TensorProto &folded,
                                                  llvm::StringRef operation,
                                                  llvm::ArrayRef<llvm::StringRef> inputs) {
  replaced.insert(folded.name());
  return addNode(operation, inputs, folded.name());
}

bool InitializerEdits::addTwin(llvm::StringRef target, llvm::StringRef source) {
  const onnx::TensorProto *tensor = find(source);
  std::optional<TensorData> data;
  if (tensor)
    data = read(*tensor);
  if (!data || !addParameter(target, *tensor, data->type.getShape(),
                             std::string(data->bytes.begin(), data->bytes.end())))
    return false;
  twinList.emplace_back(target, source);
  return true;
}

void InitializerEdits::addCopyOfNode(const onnx::NodeProto &node,
                                     llvm::ArrayRef<std::string> inputs,
                                     llvm::function_ref<std::string(llvm::StringRef)> nameResult) {
  onnx::NodeProto &copy = addNode(node.op_type(), {}, nameResult(node.output(0)));
  for (const std::string &input : inputs)
    copy.add_input(input);
  copy.set_domain(node.domain());
  for (const std::string &result : llvm::drop_begin(node.output()))
    copy.add_output(result.empty() ? "" : nameResult(result));
  *copy.mutable_attribute() = node.attribute();
}

int64_t InitializerEdits::finish() {
  auto *all = graph.mutable_initializer();
  all->erase(std::remove_if(
                 all->begin(), all->end(),
                 [&](const onnx::TensorProto &tensor) { return replaced.contains(tensor.name()); }),
             all->end());
  auto *list = graph.mutable_node();
  for (std::unique_ptr<onnx::NodeProto> &node : added)
    *list->Add() = std::move(*node);
  auto count = static_cast<int64_t>(added.size());
  std::rotate(list->begin(), list->end() - count, list->end());
  return count;
}

void addAttribute(onnx::NodeProto &node, llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name.str());
  attribute->set_type(onnx::AttributeProto::INTS);
  for (int64_t number : numbers)
    attribute->add_ints(number);
}

void addAttribute(onnx::NodeProto &node, llvm::StringRef name, int64_t number) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name.str());
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(number);
}

int64_t findInteger(const onnx::NodeProto &node, llvm::StringRef name, int64_t otherwise) {
  for (const onnx::AttributeProto &entry : node.attribute())
    if (entry.name() == name)
      return entry.i();
  return otherwise;
}

} // namespace pcc::import
