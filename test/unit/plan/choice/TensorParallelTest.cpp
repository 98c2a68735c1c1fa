// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/TensorParallel.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;

/// A block with a norm, two matmuls around an activation, and a residual, then a head.
class TensorParallel : public testing::Test {
protected:
  TensorParallel() { context.loadDialect<func::FuncDialect, graph::GraphDialect>(); }

  /// Returns the constraints as lines `NAME: SHARDINGS`.
  std::string split(int64_t data, int64_t tensor, int64_t hidden) {
    std::string h = std::to_string(hidden);
    std::string text =
        "func.func @forward(%x: tensor<4x8xf32> {graph.role = #graph.role<input \"x\">}, "
        "%n: tensor<8xf32> {graph.role = #graph.role<parameter \"n\">}, "
        "%u: tensor<8x" +
        h +
        "xf32> {graph.role = #graph.role<parameter \"u\">}, "
        "%d: tensor<" +
        h +
        "x8xf32> {graph.role = #graph.role<parameter \"d\">}, "
        "%o: tensor<6x8xf32> {graph.role = #graph.role<parameter \"o\">}) -> tensor<4x6xf32> {\n"
        "%0 = graph.rms_norm %x, %n axis = 1 epsilon = 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>\n"
        "%1 = graph.matmul %0, %u : tensor<4x8xf32>, tensor<8x" +
        h +
        "xf32> loc(\"up\")\n"
        "%2 = graph.relu %1 : tensor<4x" +
        h +
        "xf32>\n"
        "%3 = graph.matmul %2, %d : tensor<4x" +
        h + "xf32>, tensor<" + h +
        "x8xf32> loc(\"down\")\n"
        "%4 = graph.add %x, %3 : tensor<4x8xf32>\n"
        "%5 = graph.einsum \"bi,oi->bo\" %4, %o : tensor<4x8xf32>, tensor<6x8xf32> loc(\"head\")\n"
        "return %5 : tensor<4x6xf32>\n}";
    OwningOpRef<ModuleOp> model = parseSourceString<ModuleOp>(text, &context);
    if (!model)
      return "no model";
    pcc::abi::Constraints constraints = plan::splitMatmuls(*model, data, tensor);
    std::string lines = constraints.mesh() + "\n";
    for (const pcc::abi::Constraint &constraint : constraints.constraint())
      lines += constraint.op_name() + ": " + constraint.in(0) + ", " + constraint.in(1) + "\n";
    return lines;
  }

  MLIRContext context;
};

TEST_F(TensorParallel, SplitsColumnsThenRows) {
  EXPECT_EQ(split(/*data=*/2, /*tensor=*/2, /*hidden=*/16), "dp=2, tp=2\n"
                                                            "up: [dp, _], [_, tp]\n"
                                                            "down: [dp, tp], [tp, _]\n"
                                                            "head: [dp, _], [tp, _]\n");
}

TEST_F(TensorParallel, NamesNoBatchAxisForOneGroup) {
  EXPECT_EQ(split(1, 2, 16), "tp=2\n"
                             "up: [_, _], [_, tp]\n"
                             "down: [_, tp], [tp, _]\n"
                             "head: [_, _], [tp, _]\n");
}

// Six columns of the head do not divide by four, nor fifteen hidden ones by two. In the second case
// the block ends in columns, and so does its sum with the residual.
TEST_F(TensorParallel, LeavesWhatDoesNotDivide) {
  EXPECT_EQ(split(1, 4, 16), "tp=4\n"
                             "up: [_, _], [_, tp]\n"
                             "down: [_, tp], [tp, _]\n");
  EXPECT_EQ(split(1, 2, 15), "tp=2\n"
                             "down: [_, _], [_, tp]\n"
                             "head: [_, tp], [_, tp]\n");
}
