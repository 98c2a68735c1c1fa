// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/Cost.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc::analysis;

/// Calls `visit` with the only op in a function with arguments %a and %b, on three ranks.
static auto visitText(const std::string &arguments, const std::string &op, auto visit) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect>();
  auto module = parseSourceString<ModuleOp>(
      "module attributes {dist.mesh = #dist.mesh<x=3>} {\nfunc.func @f(" + arguments +
          ") {\n  %0 = " + op + "\n  return\n}\n}",
      &context);
  return visit(&(*module->getOps<func::FuncOp>().begin()).getBody().front().front());
}

static Cost costOfText(const std::string &arguments, const std::string &op) {
  return visitText(arguments, op, [](Operation *only) { return costOf(only); });
}

TEST(Cost, Matmul) {
  Cost cost = costOfText("%a: tensor<8x4xf32>, %b: tensor<4x2xf32>",
                         "graph.matmul %a, %b : tensor<8x4xf32>, tensor<4x2xf32>");
  EXPECT_EQ(stringify(cost.opClass), "contraction");
  EXPECT_EQ(cost.flops, 128);
  EXPECT_EQ(cost.bytes, 4 * (32 + 8 + 16));
}

// Every element of the result is a sum of 3 · 2 · 2 products; the gradients multiply the same
// pairs.
TEST(Cost, Convolutions) {
  int64_t flops = 2 * (2 * 4 * 7 * 7) * (3 * 2 * 2);
  Cost forward = costOfText("%a: tensor<2x6x8x8xf32>, %b: tensor<4x3x2x2xf32>",
                            "graph.conv2d %a, %b : tensor<2x6x8x8xf32>, tensor<4x3x2x2xf32>");
  EXPECT_EQ(stringify(forward.opClass), "contraction");
  EXPECT_EQ(forward.flops, flops);
  EXPECT_EQ(costOfText("%a: tensor<2x4x7x7xf32>, %b: tensor<4x3x2x2xf32>",
                       "graph.conv2d_input_gradient %a, %b : tensor<2x4x7x7xf32>, "
                       "tensor<4x3x2x2xf32> to tensor<2x6x8x8xf32>")
                .flops,
            flops);
  EXPECT_EQ(costOfText("%a: tensor<2x6x8x8xf32>, %b: tensor<2x4x7x7xf32>",
                       "graph.conv2d_weight_gradient %a, %b : tensor<2x6x8x8xf32>, "
                       "tensor<2x4x7x7xf32> to tensor<4x3x2x2xf32>")
                .flops,
            flops);
}

TEST(Cost, PoolingCountsItsWindows) {
  Cost cost = costOfText("%a: tensor<2x6x8x8xf32>",
                         "graph.max_pool %a window = [3, 2] : tensor<2x6x8x8xf32>");
  EXPECT_EQ(stringify(cost.opClass), "elementwise");
  EXPECT_EQ(cost.flops, 6 * (2 * 6 * 6 * 7));
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

// A slice reads as much as it writes. A gather reads a row for each index, but no more than there
// are.
TEST(Cost, PartsOfAnOperand) {
  Cost slice = costOfText("%a: tensor<8x4xf32>", "graph.slice %a axis = 0 start = 2 : "
                                                 "tensor<8x4xf32> to tensor<2x4xf32>");
  EXPECT_EQ(slice.bytes, 4 * (8 + 8));
  Cost few = costOfText("%a: tensor<8x4xf32>, %b: tensor<3xi64>",
                        "graph.gather %a, %b axis = 0 : tensor<8x4xf32>, tensor<3xi64>");
  EXPECT_EQ(few.bytes, 4 * (12 + 12) + 8 * 3);
  Cost many = costOfText("%a: tensor<8x4xf32>, %b: tensor<50xi64>",
                         "graph.gather %a, %b axis = 0 : tensor<8x4xf32>, tensor<50xi64>");
  EXPECT_EQ(many.bytes, 4 * (32 + 200) + 8 * 50);
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

// The second of three ranks receives two blocks of other ranks. Its own block is no message.
TEST(Cost, BlockExchangeCountsTheBusiestReceiver) {
  std::string blocks = "[[0, 0, 0, 2, 0], [0, 1, 0, 2, 2], "
                       "[1, 0, 0, 1, 0], [1, 1, 0, 1, 1], [1, 2, 0, 2, 2], [2, 2, 0, 4, 0]]";
  pcc::machine::Traffic traffic = visitText(
      "%a: tensor<4xf32>", "dist.block_exchange %a " + blocks + " : tensor<4xf32> to tensor<4xf32>",
      trafficOf);
  EXPECT_EQ(traffic.bytes, 4 * (1 + 2));
  EXPECT_EQ(traffic.messages, 2);
}
