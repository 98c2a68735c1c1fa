// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/exporter/ExportedModule.h"

#include "compiler/import/files/onnx.pb.h"
#include <gtest/gtest.h>

namespace pcc::import {
namespace {

// Inputs come before outputs. New values of buffers are outputs that are not the user's.
TEST(ExportedModule, TellsInputsFromOutputs) {
  onnx::GraphProto graph;
  onnx::StringStringEntryProto *entry = graph.add_metadata_props();
  entry->set_key("pkg.torch.export.ExportedProgram.graph_signature");
  entry->set_value("\n# inputs\n"
                   "p_fc_weight: PARAMETER target='fc.weight'\n"
                   "b_count: BUFFER target='count' persistent=True\n"
                   "x: USER_INPUT\n"
                   "\n# outputs\n"
                   "add: BUFFER_MUTATION target='count'\n"
                   "linear: USER_OUTPUT\n");
  ExportedModule module(graph);
  ASSERT_EQ(module.parameters().size(), 1u);
  EXPECT_EQ(module.parameters().front().placeholder, "p_fc_weight");
  ASSERT_EQ(module.savedBuffers().size(), 1u);
  EXPECT_TRUE(module.isTensor("b_count"));
  EXPECT_FALSE(module.isTensor("add"));
  EXPECT_EQ(module.inputs().size(), 3u);
  EXPECT_TRUE(module.inputs().contains("x"));
  ASSERT_EQ(module.outputs().size(), 1u);
  EXPECT_EQ(module.outputs().front(), "linear");
}

} // namespace
} // namespace pcc::import
