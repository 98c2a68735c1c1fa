// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Builders.h"
#include "test/unit/import/ImportFixture.h"

namespace pcc::import {
namespace {

using LocationsTest = ImportTest;

onnx::NodeProto matmulNode(llvm::StringRef trace) {
  onnx::NodeProto node;
  node.set_name("/h.3/mlp/c_fc/MatMul");
  if (!trace.empty()) {
    onnx::StringStringEntryProto *entry = node.add_metadata_props();
    entry->set_key("pkg.torch.onnx.stack_trace");
    entry->set_value(trace.str());
  }
  return node;
}

TEST_F(LocationsTest, NodeWithSourceLine) {
  // The location is the innermost frame outside torch.
  onnx::NodeProto node =
      matmulNode("File \"train.py\", line 80, in forward\n    x = b(x)\n"
                 "  File \"train.py\", line 53, in forward\n    f(x)\n"
                 "  File \"/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n");
  mlir::emitError(nodeLocation("model.onnx", 62, node, context)) << "no";
  EXPECT_EQ(diagnostics, "model.onnx:node 62 '/h.3/mlp/c_fc/MatMul' (train.py:53): error: no\n");
}

TEST_F(LocationsTest, NodeWithoutSourceLineOrName) {
  onnx::NodeProto node = matmulNode("no frame here\nFile \"x.py\", line many\n");
  node.clear_name();
  node.add_output("y");
  mlir::emitWarning(nodeLocation("model.onnx", 0, node, context)) << "odd";
  EXPECT_EQ(diagnostics, "model.onnx:node 0 'y': warning: odd\n");
}

TEST_F(LocationsTest, NodeWithModule) {
  mlir::emitError(nodeLocation("model.onnx", 62, matmulNode(""), context, "h.3.mlp.c_fc/matmul"))
      << "no";
  EXPECT_EQ(diagnostics, "model.onnx:node 62 'h.3.mlp.c_fc/matmul': error: no\n");
}

TEST_F(LocationsTest, OtherPlacesAndNotes) {
  mlir::Location file = fileLocation("model.onnx", context);
  mlir::emitError(file) << "one";
  mlir::emitError(mlir::FileLineColLoc::get(&context, "a.mlir", 3, 4)) << "two";
  auto diagnostic = mlir::emitError(mlir::UnknownLoc::get(&context)) << "three";
  diagnostic.attachNote(file) << "four";
  diagnostic.report();
  EXPECT_EQ(diagnostics, "model.onnx: error: one\na.mlir:3:4: error: two\nerror: three\n"
                         "model.onnx: note: four\n");
}

} // namespace
} // namespace pcc::import
