// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaf ops, ops that move elements, and ops that index.

#include "dialects/graph/CounterRng.h"
#include "test/unit/interpret/Evaluate.h"
#include <gtest/gtest.h>

using namespace pcc::interpret;

using Values = std::vector<double>;

/// Returns 0, 1, 2, … in a tensor of 2x3.
static Tensor counting() { return f32({2, 3}, {0, 1, 2, 3, 4, 5}); }

static Values run(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                  const std::string &type) {
  return valuesOf(evaluate(op, arguments, "tensor<" + type + ">"));
}

TEST(Leaves, ConstantAndIota) {
  EXPECT_EQ(run("graph.constant dense<[1.5, -2.0]> : tensor<2xf32>", {}, "2xf32"),
            (Values{1.5, -2}));
  EXPECT_EQ(run("graph.constant dense<3> : tensor<2xi8>", {}, "2xi8"), (Values{3, 3}));
  EXPECT_EQ(run("graph.constant dense<[true, false]> : tensor<2xi1>", {}, "2xi1"), (Values{1, 0}));
  EXPECT_EQ(run("graph.iota axis = 0 : tensor<2x3xi64>", {}, "2x3xi64"),
            (Values{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(run("graph.iota axis = 1 : tensor<2x3xf32>", {}, "2x3xf32"),
            (Values{0, 1, 2, 0, 1, 2}));
}

TEST(Leaves, RandomNumbersDependOnSeedAndIndexAlone) {
  Values numbers = run("graph.rng_uniform %a, %b : (tensor<3xi64>, tensor<i64>) -> tensor<3xf32>",
                       {i64({3}, {7, 0, 7}), i64({}, {42})}, "3xf32");
  EXPECT_EQ(numbers[0], numbers[2]);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_EQ(numbers[0], pcc::graph::rngUniform(42, 7));
}

TEST(Shape, ReshapeAndTranspose) {
  EXPECT_EQ(run("graph.reshape %a : tensor<2x3xf32> to tensor<3x2xf32>", {counting()}, "3x2xf32"),
            (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run("graph.transpose %a, [1, 0] : tensor<2x3xf32>", {counting()}, "3x2xf32"),
            (Values{0, 3, 1, 4, 2, 5}));
}

TEST(Shape, BroadcastRepeatsNewAndUnitDimensions) {
  EXPECT_EQ(run("graph.broadcast %a, [1] : tensor<2xf32> to tensor<2x2xf32>", {f32({2}, {1, 2})},
                "2x2xf32"),
            (Values{1, 2, 1, 2}));
  EXPECT_EQ(run("graph.broadcast %a, [0, 1] : tensor<2x1xf32> to tensor<2x2xf32>",
                {f32({2, 1}, {1, 2})}, "2x2xf32"),
            (Values{1, 1, 2, 2}));
  EXPECT_EQ(run("graph.broadcast %a, [] : tensor<f32> to tensor<2xf32>", {f32({}, {7})}, "2xf32"),
            (Values{7, 7}));
}

TEST(Shape, SliceGoesBackwardsToo) {
  EXPECT_EQ(run("graph.slice %a axis = 1 start = 1 : tensor<2x3xf32> to tensor<2x2xf32>",
                {counting()}, "2x2xf32"),
            (Values{1, 2, 4, 5}));
  EXPECT_EQ(run("graph.slice %a axis = 1 start = 2 {stride = -2} : tensor<2x3xf32> to "
                "tensor<2x2xf32>",
                {counting()}, "2x2xf32"),
            (Values{2, 0, 5, 3}));
}

TEST(Shape, DynamicStartsAreMovedInside) {
  std::string slice =
      "graph.dynamic_slice %a, %b axis = 1 : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x2xf32>";
  EXPECT_EQ(run(slice, {counting(), i64({}, {1})}, "2x2xf32"), (Values{1, 2, 4, 5}));
  EXPECT_EQ(run(slice, {counting(), i64({}, {9})}, "2x2xf32"), (Values{1, 2, 4, 5}));
  EXPECT_EQ(run(slice, {counting(), i64({}, {-9})}, "2x2xf32"), (Values{0, 1, 3, 4}));
  std::string update = "graph.dynamic_update_slice %a, %b, %c axis = 0 : (tensor<2x3xf32>, "
                       "tensor<1x3xf32>, tensor<i64>) -> tensor<2x3xf32>";
  EXPECT_EQ(run(update, {counting(), f32({1, 3}, {7, 8, 9}), i64({}, {5})}, "2x3xf32"),
            (Values{0, 1, 2, 7, 8, 9}));
}

TEST(Shape, PadAddsAndCuts) {
  EXPECT_EQ(run("graph.pad %a axis = 1 low = 1 high = -1 {value = 9.0} : tensor<2x3xf32>",
                {counting()}, "2x3xf32"),
            (Values{9, 0, 1, 9, 3, 4}));
}

TEST(Shape, ConcatAndSplitAreOpposites) {
  Tensor left = f32({2, 1}, {1, 2}), right = f32({2, 2}, {3, 4, 5, 6});
  Tensor whole = evaluate("graph.concat %a, %b axis = 1 : tensor<2x1xf32>, tensor<2x2xf32>",
                          {left, right}, "tensor<2x3xf32>");
  EXPECT_EQ(valuesOf(whole), (Values{1, 3, 4, 2, 5, 6}));
  auto pieces =
      evaluateAll("graph.split %a axis = 1 : tensor<2x3xf32> to tensor<2x1xf32>, tensor<2x2xf32>",
                  {whole}, {"tensor<2x1xf32>", "tensor<2x2xf32>"});
  EXPECT_TRUE(pieces[0].identical(left));
  EXPECT_TRUE(pieces[1].identical(right));
}

TEST(Indexing, GatherMovesIndicesInside) {
  EXPECT_EQ(run("graph.gather %a, %b axis = 1 : tensor<2x3xf32>, tensor<4xi64>",
                {counting(), i64({4}, {2, -1, 0, 7})}, "2x4xf32"),
            (Values{2, 0, 0, 2, 5, 3, 3, 5}));
}

TEST(Indexing, ScatterAddDropsIndicesOutside) {
  Tensor updates = f32({4, 1}, {10, 20, 30, 40});
  EXPECT_EQ(run("graph.scatter_add %a, %b, %c axis = 0 : (tensor<2x1xf32>, tensor<4xi64>, "
                "tensor<4x1xf32>) -> tensor<2x1xf32>",
                {f32({2, 1}, {1, 2}), i64({4}, {0, 2, 0, -1}), updates}, "2x1xf32"),
            (Values{41, 2}));
}

TEST(Indexing, OneHotOfAnIndexOutsideIsZero) {
  EXPECT_EQ(run("graph.one_hot %a axis = 1 : tensor<3xi64> to tensor<3x2xf32>",
                {i64({3}, {1, 2, -1})}, "3x2xf32"),
            (Values{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(run("graph.one_hot %a axis = 0 : tensor<3xi64> to tensor<2x3xi32>",
                {i64({3}, {1, 0, 1})}, "2x3xi32"),
            (Values{0, 1, 0, 1, 0, 1}));
}
