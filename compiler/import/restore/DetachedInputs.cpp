// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the ONNX nodes by the fx node from which the exporter made them. Then compares their
// inputs with the arguments that the fx node names. Does not look into the bodies of If, Loop and
// Scan.
#include "compiler/import/restore/ExporterChanges.h"

#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "llvm/ADT/STLExtras.h"

namespace pcc::import {
namespace {

class DetachFinder {
public:
  explicit DetachFinder(const onnx::GraphProto &graph) : graph(graph), exported(graph) {}

  DetachedInputs run();

private:
  void readGraph();
  void visit(const FxNode &fx);
  bool isNamed(const FxNode &fx, llvm::StringRef value) const;

  const onnx::GraphProto &graph;
  ExportedModule exported;
  std::vector<FxNode> traced;                                        ///< in order, each name once
  llvm::StringMap<llvm::SmallVector<const onnx::NodeProto *>> nodes; ///< by name of their fx node
  llvm::StringSet<> reached;                 ///< values computed from parameters
  llvm::StringMap<llvm::StringRef> restored; ///< first input, by result of a node without fx node
  DetachedInputs found;
};

} // namespace

void DetachFinder::readGraph() {
  for (const auto &parameter : exported.parameters())
    reached.insert(parameter.target);
  for (const onnx::NodeProto &node : graph.node()) {
    if (node.output_size() == 0)
      continue;
    bool isReached = false;
    forEachRead(node, [&](const std::string &name) { isReached |= reached.contains(name); });
    if (isReached)
      for (const std::string &name : node.output())
        if (!name.empty())
          reached.insert(name);
    std::optional<FxNode> fx = findFxNode(node);
    if (!fx) {
      if (node.input_size() > 0)
        for (const std::string &name : node.output())
          restored[name] = node.input(0);
      continue;
    }
    if (!nodes.contains(fx->name))
      traced.push_back(*fx);
    nodes[fx->name].push_back(&node);
  }
}

/// Returns whether the fx node names the value, or computes it. The count ends a walk through
/// nodes of a file that read their own results.
bool DetachFinder::isNamed(const FxNode &fx, llvm::StringRef value) const {
  auto source = restored.find(value);
  for (unsigned count = restored.size(); count > 0 && source != restored.end(); --count) {
    value = source->second;
    source = restored.find(value);
  }
  bool isOwn = llvm::any_of(nodes.find(fx.name)->second, [&](const onnx::NodeProto *node) {
    return llvm::is_contained(node->output(), value);
  });
  return isOwn || fx.reads(value) || llvm::any_of(fx.arguments, [&](llvm::StringRef argument) {
           return exported.isTensor(argument) &&
                  (exported.targetOf(argument) == value ||
                   llvm::is_contained(exported.foldedFrom(value), exported.targetOf(argument)));
         });
}

/// Finds the detached inputs of one fx node. Arguments that no ONNX node and no input of the graph
/// provides are missing. If some of these are results of `detach`, then the inputs that depend on
/// parameters, and that the fx node does not name, are detached. If other arguments are missing
/// too, an input may be one of those, so the case is unclear.
void DetachFinder::visit(const FxNode &fx) {
  auto isDetach = [](llvm::StringRef name) {
    return name == "detach" || name.starts_with("detach_");
  };
  llvm::ArrayRef<const onnx::NodeProto *> own = nodes.find(fx.name)->second;
  if (fx.operation.starts_with("aten.detach.")) {
    for (const onnx::NodeProto *node : own)
      if (node->op_type() == "Identity")
        found.positions[node->output(0)].push_back(0);
    return;
  }
  llvm::SmallVector<llvm::StringRef> missing;
  llvm::copy_if(fx.arguments, std::back_inserter(missing), [&](llvm::StringRef name) {
    return !nodes.contains(name) && !exported.inputs().contains(name);
  });
  if (llvm::none_of(missing, isDetach))
    return;
  bool onlyDetachesMissing = llvm::all_of(missing, isDetach);
  for (const onnx::NodeProto *node : own)
    for (auto [position, value] : llvm::enumerate(node->input())) {
      if (!reached.contains(value) || isNamed(fx, value))
        continue;
      found.positions[node->output(0)].push_back(static_cast<int>(position));
      if (!onlyDetachesMissing)
        found.unclear.push_back("'" + fx.name.str() + "' reads a detached value or '" + value +
                                "'");
    }
}

DetachedInputs DetachFinder::run() {
  readGraph();
  for (const FxNode &fx : traced)
    visit(fx);
  return std::move(found);
}

DetachedInputs findDetachedInputs(const onnx::GraphProto &graph) {
  return DetachFinder(graph).run();
}

} // namespace pcc::import
