// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/exporter/ExportedModule.h"

#include "compiler/import/files/onnx.pb.h"
#include <gtest/gtest.h>

namespace pcc::import {
namespace {

class ModuleNamesTest : public testing::Test {
protected:
  ModuleNamesTest() { graph.add_input()->set_name("x"); }

  /// Adds a node with one input and one output; without scopes if `scopes` is empty.
  void add(const char *op, const char *input, const char *output, const char *scopes) {
    onnx::NodeProto *node = graph.add_node();
    node->set_op_type(op);
    node->add_input(input);
    node->add_output(output);
    if (!*scopes)
      return;
    onnx::StringStringEntryProto *entry = node->add_metadata_props();
    entry->set_key("pkg.torch.onnx.name_scopes");
    entry->set_value(scopes);
  }

  onnx::GraphProto graph;
};

TEST_F(ModuleNamesTest, ModuleAndRole) {
  add("MatMul", "x", "a", "['', 'model', 'model.up_proj', 'linear_3']");
  add("LayerNormalization", "a", "b", "['', 'model', 'model.norm', 'layer_norm']");
  add("Gemm", "b", "c", "['', 'head', 'linear_4']");
  add("ReduceL2", "c", "d", "['', 'norm_2']");
  add("Add", "d", "e", "");
  EXPECT_EQ(nameByModules(graph),
            (std::vector<std::string>{"model.up_proj/matmul", "model.norm/layer_normalization",
                                      "head/matmul", "reduce_l2", ""}));
}

TEST_F(ModuleNamesTest, EqualNamesGetNumbers) {
  for (const char *output : {"a", "b", "c"})
    add("Add", "x", output, "['', 'layer', 'add']");
  EXPECT_EQ(nameByModules(graph),
            (std::vector<std::string>{"layer/add", "layer/add_1", "layer/add_2"}));
}

TEST_F(ModuleNamesTest, FoldedNodesDoNotCount) {
  // The second node depends on the shape of the input only.
  add("Shape", "x", "shape", "['', 'layer', 'add']");
  add("Add", "shape", "size", "['', 'layer', 'add']");
  add("Add", "x", "y", "['', 'layer', 'add_1']");
  EXPECT_EQ(nameByModules(graph),
            (std::vector<std::string>{"layer/shape.fixed", "layer/add.fixed", "layer/add"}));
}

TEST_F(ModuleNamesTest, OtherTextsAreNoScopes) {
  for (const char *scopes : {"model", "['model']", "['', model, 'add']", "[", "[]"})
    add("Add", "x", "y", scopes);
  for (const std::string &name : nameByModules(graph))
    EXPECT_EQ(name, "");
}

} // namespace
} // namespace pcc::import
