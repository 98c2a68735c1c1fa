// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/Cost.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc::facts;

/// The cost of the only op in a function with arguments %a and %b.
static Cost costOfText(const std::string &arguments, const std::string &op) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect>();
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(" + arguments + ") {\n  %0 = " + op + "\n  return\n}", &context);
  return costOf(&(*module->getOps<func::FuncOp>().begin()).getBody().front().front());
}

TEST(Cost, Matmul) {
  Cost cost = costOfText("%a: tensor<8x4xf32>, %b: tensor<4x2xf32>",
                         "graph.matmul %a, %b : tensor<8x4xf32>, tensor<4x2xf32>");
  EXPECT_EQ(stringify(cost.opClass), "contraction");
  EXPECT_EQ(cost.flops, 128);
  EXPECT_EQ(cost.bytes, 4 * (32 + 8 + 16));
}

TEST(Cost, Elementwise) {
  Cost cost = costOfText("%a: tensor<8x4xf32>", "graph.add %a, %a : tensor<8x4xf32>");
  EXPECT_EQ(stringify(cost.opClass), "elementwise");
  EXPECT_EQ(cost.flops, 32);
  EXPECT_EQ(cost.bytes, 4 * 3 * 32);
}

TEST(Cost, ReductionCountsItsInput) {
  Cost cost = costOfText("%a: tensor<8x4xf32>", "graph.reduce sum %a, [1] : tensor<8x4xf32>");
  EXPECT_EQ(stringify(cost.opClass), "reduction");
  EXPECT_EQ(cost.flops, 32);
  EXPECT_EQ(cost.bytes, 4 * (32 + 8));
}

TEST(Cost, ReshapeIsFree) {
  Cost cost =
      costOfText("%a: tensor<8x4xf32>", "graph.reshape %a : tensor<8x4xf32> to tensor<32xf32>");
  EXPECT_EQ(stringify(cost.opClass), "movement");
  EXPECT_EQ(cost.bytes, 0);
}

TEST(Cost, Collective) {
  Cost cost = costOfText("%a: tensor<8xf32>", "dist.all_reduce sum %a : tensor<8xf32>");
  EXPECT_EQ(stringify(cost.opClass), "communication");
  EXPECT_EQ(cost.flops, 0);
}
