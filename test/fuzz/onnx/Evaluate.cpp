// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Evaluate.h"

#include "compiler/import/OnnxImporter.h"
#include "compiler/import/files/Locations.h"
#include "compiler/interpret/function/Run.h"
#include "compiler/interpret/training/Inputs.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::fuzz {
namespace {

/// Makes a graph of the node alone: computed inputs become inputs of the graph, or constants if
/// they are known.
Graph isolate(const Graph &graph, const onnx::NodeProto &node) {
  Graph alone;
  alone.opset = graph.opset;
  for (const std::string &name : node.input()) {
    if (name.empty() || alone.find(name))
      continue;
    Value value = *graph.find(name);
    if (value.origin == Origin::Result)
      value.origin = value.isKnown ? Origin::Initializer : Origin::Input;
    alone.values.push_back(value);
  }
  alone.nodes.push_back(node);
  for (const std::string &name : node.output())
    if (!name.empty())
      alone.outputs.push_back(name);
  return alone;
}

/// Makes the model of `alone`, with outputs of unknown types, which the importer does not read.
std::shared_ptr<onnx::ModelProto> modelOf(Graph alone) {
  std::vector<std::string> outputs = std::move(alone.outputs);
  alone.outputs.clear();
  auto model = std::make_shared<onnx::ModelProto>(alone.toModel());
  for (const std::string &name : outputs)
    model->mutable_graph()->add_output()->set_name(name);
  return model;
}

} // namespace

Evaluation evaluate(const Graph &graph, const onnx::NodeProto &node, MLIRContext &context) {
  import::FirstError error(&context);
  auto failed = [&] {
    return Evaluation{{}, error.str().empty() ? "failed without an error" : error.str()};
  };
  Graph alone = isolate(graph, node);
  import::OnnxImporter importer("node.onnx", modelOf(alone), context, nullptr);
  OwningOpRef<ModuleOp> module = importer.import({});
  if (!module)
    return failed();
  auto arguments = interpret::initialParameters(*module, /*seed=*/1);
  if (mlir::failed(arguments))
    return failed();
  for (const Value &value : alone.values)
    if (value.origin == Origin::Input)
      (*arguments)[interpret::bindingKey(graph::RoleKind::Input, value.name)] = value.data;
  auto results = interpret::runFunction(*module, "forward", *arguments);
  if (mlir::failed(results))
    return failed();
  auto forward = module->lookupSymbol<func::FuncOp>("forward");
  auto returned = cast<func::ReturnOp>(forward.front().getTerminator());
  Evaluation evaluation;
  for (auto [name, operand] : llvm::zip_equal(alone.outputs, returned.getOperands())) {
    bool isKnown = operand.getDefiningOp<graph::ConstantOp>() != nullptr;
    evaluation.results.push_back({name, Origin::Result,
                                  results->at(interpret::bindingKey(graph::RoleKind::Output, name)),
                                  false, isKnown});
  }
  return evaluation;
}

} // namespace pcc::fuzz
