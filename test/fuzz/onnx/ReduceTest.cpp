// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Reduce.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using pcc::values::ElementType;
using pcc::values::Tensor;

namespace pcc::fuzz {

static void addNode(Graph &graph, const std::string &op, const std::string &input,
                    const std::string &output) {
  onnx::NodeProto node;
  node.set_op_type(op);
  node.add_input(input);
  node.add_output(output);
  graph.nodes.push_back(node);
  graph.values.push_back({output, Origin::Result, Tensor::floats(ElementType::F32, {}, 2.0)});
}

/// Makes the graph x -> Abs -> Neg -> Exp, and Neg -> Log.
static Graph makeChain() {
  Graph graph;
  graph.values.push_back({"x", Origin::Input, Tensor::floats(ElementType::F32, {}, 1.0)});
  addNode(graph, "Abs", "x", "a");
  addNode(graph, "Neg", "a", "n");
  addNode(graph, "Exp", "n", "e");
  addNode(graph, "Log", "n", "l");
  graph.outputs = {"e", "l"};
  return graph;
}

TEST(Reduce, OnlyTheNodeThatFailsIsLeft) {
  Graph small = reduceGraph(makeChain(), [](const Graph &graph) {
    return llvm::any_of(graph.nodes, [](const auto &node) { return node.op_type() == "Exp"; });
  });
  ASSERT_EQ(small.nodes.size(), 1u);
  EXPECT_EQ(small.nodes[0].op_type(), "Exp");
  EXPECT_EQ(small.outputs, std::vector<std::string>{"e"});
  // The result of the dropped node is an input with its element.
  EXPECT_EQ(small.find("n")->origin, Origin::Input);
  onnx::ModelProto model = small.toModel();
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "n");
}

TEST(Reduce, GraphThatNeedsAllNodesStays) {
  Graph small =
      reduceGraph(makeChain(), [](const Graph &graph) { return graph.nodes.size() == 4; });
  EXPECT_EQ(small.nodes.size(), 4u);
  EXPECT_EQ(small.outputs.size(), 2u);
}

} // namespace pcc::fuzz
