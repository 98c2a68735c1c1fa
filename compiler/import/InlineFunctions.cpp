// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines the functions of a model: each call becomes the nodes of the function, with its own names
// and with the attributes of the call.
//
// Each call copies the function's nodes. Inputs and outputs take the caller's names, and all other
// names a prefix that is unique per call. References to attributes become the caller's attributes
// or the function's defaults. Nested calls are expanded recursively.
#include "compiler/import/ModelEdits.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Maximum depth of nested calls. Deeper nesting means that a function calls itself.
constexpr int maxDepth = 64;

int64_t defaultOpset(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &opsets) {
  for (const onnx::OperatorSetIdProto &set : opsets)
    if (isDefaultDomain(set.domain()))
      return set.version();
  return 0;
}

/// One call: the names and attributes inside the function.
class Call {
public:
  Call(const onnx::NodeProto &node, const onnx::FunctionProto &function, std::string prefix)
      : node(node), function(function), prefix(std::move(prefix)) {
    for (auto [position, name] : llvm::enumerate(function.input()))
      names[name] = static_cast<int>(position) < node.input_size() ? node.input(position) : "";
    for (auto [position, name] : llvm::enumerate(function.output()))
      if (static_cast<int>(position) < node.output_size() && !node.output(position).empty())
        names.try_emplace(name, node.output(position));
  }

  /// Returns `inner` with the names and attributes of this call.
  onnx::NodeProto instantiate(const onnx::NodeProto &inner) {
    onnx::NodeProto copy = inner;
    rename(copy);
    copy.set_name(node.name() + "/" + (inner.name().empty() ? inner.op_type() : inner.name()));
    if (copy.metadata_props().empty())
      *copy.mutable_metadata_props() = node.metadata_props();
    *copy.mutable_device_configurations() = node.device_configurations();
    return copy;
  }

  /// Returns a copy for each output of the function that is one of its inputs.
  std::vector<onnx::NodeProto> copyInputs() const {
    std::vector<onnx::NodeProto> copies;
    for (auto [position, name] : llvm::enumerate(function.output())) {
      if (static_cast<int>(position) >= node.output_size() ||
          !llvm::is_contained(function.input(), name))
        continue;
      onnx::NodeProto &copy = copies.emplace_back();
      copy.set_op_type("Identity");
      copy.add_input(names.lookup(name));
      copy.add_output(node.output(position));
    }
    return copies;
  }

private:
  std::string nameOf(const std::string &name) {
    return name.empty() ? name : names.try_emplace(name, prefix + name).first->second;
  }

  const onnx::AttributeProto *findAttribute(llvm::StringRef name) const {
    for (const auto *attributes : {&node.attribute(), &function.attribute_proto()})
      for (const onnx::AttributeProto &attribute : *attributes)
        if (llvm::StringRef(attribute.name()) == name)
          return &attribute;
    return nullptr;
  }

  void rename(onnx::GraphProto &graph) {
    for (onnx::ValueInfoProto &input : *graph.mutable_input())
      input.set_name(nameOf(input.name()));
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensor.set_name(nameOf(tensor.name()));
    for (onnx::NodeProto &inner : *graph.mutable_node())
      rename(inner);
    for (onnx::ValueInfoProto &output : *graph.mutable_output())
      output.set_name(nameOf(output.name()));
  }

  void rename(onnx::NodeProto &copy) {
    for (std::string &name : *copy.mutable_input())
      name = nameOf(name);
    for (std::string &name : *copy.mutable_output())
      name = nameOf(name);
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    for (onnx::AttributeProto &attribute : *copy.mutable_attribute()) {
      const onnx::AttributeProto *value = &attribute;
      if (!attribute.ref_attr_name().empty())
        value = findAttribute(attribute.ref_attr_name());
      if (!value)
        continue; // an optional attribute that the call lacks
      onnx::AttributeProto *own = attributes.Add();
      *own = *value;
      own->set_name(attribute.name());
      if (own->has_g())
        rename(*own->mutable_g());
    }
    copy.mutable_attribute()->Swap(&attributes);
  }

  const onnx::NodeProto &node;
  const onnx::FunctionProto &function;
  std::string prefix;
  llvm::StringMap<std::string> names;
};

class Inliner {
public:
  Inliner(onnx::ModelProto &model, Location loc) : model(model), loc(loc) {}
  FailureOr<std::vector<int64_t>> run();

private:
  const onnx::FunctionProto *find(const onnx::NodeProto &node) const;
  LogicalResult expand(const onnx::NodeProto &node, int depth);
  LogicalResult check(const onnx::NodeProto &node, const onnx::FunctionProto &function, int depth);

  onnx::ModelProto &model;
  Location loc;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  int64_t calls = 0;
};

const onnx::FunctionProto *Inliner::find(const onnx::NodeProto &node) const {
  for (const onnx::FunctionProto &function : model.functions()) {
    bool isSameDomain = function.domain() == node.domain() ||
                        (isDefaultDomain(function.domain()) && isDefaultDomain(node.domain()));
    if (isSameDomain && function.name() == node.op_type() && function.overload() == node.overload())
      return &function;
  }
  return nullptr;
}

LogicalResult Inliner::check(const onnx::NodeProto &node, const onnx::FunctionProto &function,
                             int depth) {
  auto error = [&] {
    return emitError(loc) << "node '" << node.name() << "': function '" << function.domain()
                          << "::" << function.name() << "' ";
  };
  if (depth > maxDepth)
    return error() << "calls itself";
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
    return error() << "has " << function.input_size() << " inputs and " << function.output_size()
                   << " outputs, got " << node.input_size() << " and " << node.output_size();
  int64_t own = defaultOpset(function.opset_import()), outer = defaultOpset(model.opset_import());
  for (const onnx::NodeProto &inner : function.node())
    if (own != 0 && own != outer && isDefaultDomain(inner.domain()) &&
        findOperator(inner.op_type(), own) != findOperator(inner.op_type(), outer))
      return error() << "uses '" << inner.op_type() << "' of opset " << own
                     << ", which differs from that of the model's opset " << outer;
  return success();
}

LogicalResult Inliner::expand(const onnx::NodeProto &node, int depth) {
  const onnx::FunctionProto *function = find(node);
  if (!function) {
    *nodes.Add() = node;
    return success();
  }
  if (failed(check(node, *function, depth)))
    return failure();
  Call call(node, *function, function->name() + "." + std::to_string(calls++) + "/");
  for (const onnx::NodeProto &inner : function->node())
    if (failed(expand(call.instantiate(inner), depth + 1)))
      return failure();
  for (const onnx::NodeProto &copy : call.copyInputs())
    *nodes.Add() = copy;
  return success();
}

FailureOr<std::vector<int64_t>> Inliner::run() {
  std::vector<int64_t> positions;
  if (model.functions().empty())
    return positions;
  for (auto [index, node] : llvm::enumerate(model.graph().node())) {
    if (failed(expand(node, 0)))
      return failure();
    positions.resize(nodes.size(), static_cast<int64_t>(index));
  }
  model.mutable_graph()->mutable_node()->Swap(&nodes);
  return positions;
}

} // namespace

FailureOr<std::vector<int64_t>> inlineFunctions(onnx::ModelProto &model, Location loc) {
  return Inliner(model, loc).run();
}

} // namespace pcc::import
