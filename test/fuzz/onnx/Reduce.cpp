// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Reduce.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::fuzz {

static Graph withoutOutput(Graph graph, size_t place) {
  graph.outputs.erase(graph.outputs.begin() + static_cast<ptrdiff_t>(place));
  return graph;
}

static Graph withoutNode(Graph graph, size_t place) {
  onnx::NodeProto node = graph.nodes[place];
  graph.nodes.erase(graph.nodes.begin() + static_cast<ptrdiff_t>(place));
  for (const std::string &name : node.output()) {
    llvm::erase(graph.outputs, name);
    if (Value *value = graph.find(name))
      value->origin = value->isKnown ? Origin::Initializer : Origin::Input;
  }
  return graph;
}

/// Returns true if some node has no result that is read or returned.
static bool hasUselessNode(const Graph &graph) {
  std::set<std::string> used = graph.usedNames();
  return llvm::any_of(graph.nodes, [&](const onnx::NodeProto &node) {
    return llvm::none_of(node.output(), [&](const auto &name) { return used.count(name); });
  });
}

static Graph withoutUselessNodes(Graph graph) {
  while (hasUselessNode(graph)) {
    std::set<std::string> used = graph.usedNames();
    llvm::erase_if(graph.nodes, [&](const onnx::NodeProto &node) {
      return llvm::none_of(node.output(), [&](const auto &name) { return used.count(name); });
    });
  }
  return graph;
}

/// Returns the graphs with one output or node less, the last ones first.
static std::vector<Graph> smallerGraphs(const Graph &graph) {
  std::vector<Graph> smaller;
  for (size_t n = graph.outputs.size(); n-- > 0;)
    smaller.push_back(withoutUselessNodes(withoutOutput(graph, n)));
  for (size_t n = graph.nodes.size(); n-- > 0;)
    smaller.push_back(withoutUselessNodes(withoutNode(graph, n)));
  llvm::erase_if(smaller, [](const Graph &each) { return each.outputs.empty(); });
  return smaller;
}

Graph reduceGraph(Graph graph, llvm::function_ref<bool(const Graph &)> fails) {
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (Graph &candidate : smallerGraphs(graph))
      if (fails(candidate)) {
        graph = std::move(candidate);
        isSmaller = true;
        break;
      }
  }
  return graph;
}

} // namespace pcc::fuzz
