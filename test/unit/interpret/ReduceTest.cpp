// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions, reductions, losses and optimizer steps.

#include "Evaluate.h"
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>

using namespace pcc::interpret;

using Values = std::vector<double>;

static Values compute(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                      const std::string &type) {
  return valuesOf(evaluate(op, arguments, "tensor<" + type + ">"));
}

TEST(Contraction, AllTransposes) {
  Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  Tensor aT = f32({3, 2}, {1, 4, 2, 5, 3, 6}), bT = f32({2, 3}, {1, 0, 1, 0, 1, 1});
  Values product = {4, 5, 10, 11};
  EXPECT_EQ(compute("graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x2xf32>", {a, b}, "2x2xf32"),
            product);
  EXPECT_EQ(compute("graph.matmul %a, %b {transpose_lhs} : tensor<3x2xf32>, tensor<3x2xf32>",
                    {aT, b}, "2x2xf32"),
            product);
  EXPECT_EQ(compute("graph.matmul %a, %b {transpose_rhs} : tensor<2x3xf32>, tensor<2x3xf32>",
                    {a, bT}, "2x2xf32"),
            product);
}

TEST(Contraction, BatchesAndIntegers) {
  Tensor a = i64({2, 1, 2}, {1, 2, 3, 4}), b = i64({2, 2, 1}, {5, 6, 7, 8});
  EXPECT_EQ(
      compute("graph.matmul %a, %b : tensor<2x1x2xi64>, tensor<2x2x1xi64>", {a, b}, "2x1x1xi64"),
      (Values{17, 53}));
}

TEST(Contraction, AccumulatesInDoubles) {
  // In f32 the two small terms would vanish beside the large one.
  Tensor a = f32({1, 3}, {0x1p24, 1, 1}), b = f32({3, 1}, {1, 1, 1});
  EXPECT_EQ(compute("graph.matmul %a, %b : tensor<1x3xf32>, tensor<3x1xf32>", {a, b}, "1x1xf32"),
            (Values{0x1p24 + 2}));
}

TEST(Reduce, Kinds) {
  Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  auto reduce = [&](const std::string &kind, const std::string &dims, const std::string &type) {
    return compute("graph.reduce " + kind + " %a, " + dims + " : tensor<2x3xf32>", {x}, type);
  };
  EXPECT_EQ(reduce("sum", "[0]", "3xf32"), (Values{5, 7, 9}));
  EXPECT_EQ(reduce("sum", "[0, 1]", "f32"), (Values{21}));
  EXPECT_EQ(reduce("mean", "[1]", "2xf32"), (Values{2, 5}));
  EXPECT_EQ(reduce("max", "[1]", "2xf32"), (Values{3, 6}));
  EXPECT_EQ(reduce("min", "[0]", "3xf32"), (Values{1, 2, 3}));
  EXPECT_EQ(reduce("prod", "[1]", "2xf32"), (Values{6, 120}));
}

TEST(Reduce, NanAndNegativeMaximum) {
  EXPECT_EQ(compute("graph.reduce max %a, [0] : tensor<2xf32>", {f32({2}, {-3, -5})}, "f32"),
            (Values{-3}));
  EXPECT_TRUE(std::isnan(
      compute("graph.reduce max %a, [0] : tensor<2xf32>", {f32({2}, {NAN, 5})}, "f32")[0]));
}

TEST(Softmax, DoesNotOverflow) {
  Values result = compute("graph.softmax %a axis = 1 : tensor<2x2xf32>",
                          {f32({2, 2}, {1000, 1000, 0, std::log(3.0)})}, "2x2xf32");
  EXPECT_EQ(result[0], 0.5);
  EXPECT_NEAR(result[2], 0.25, 1e-7);
  EXPECT_NEAR(result[3], 0.75, 1e-7);
}

TEST(CrossEntropy, SparseAndDenseLabelsAgree) {
  Tensor logits = f32({2, 3}, {1, 2, 3, 1, 1, 1});
  double first = std::log(std::exp(1) + std::exp(2) + std::exp(3)) - 3, second = std::log(3.0);
  std::string sparse = "graph.softmax_cross_entropy %a, %b : tensor<2x3xf32>, tensor<2xi64>";
  EXPECT_NEAR(compute(sparse, {logits, i64({2}, {2, 0})}, "f32")[0], (first + second) / 2, 1e-7);
  std::string dense = "graph.softmax_cross_entropy %a, %b : tensor<2x3xf32>, tensor<2x3xf32>";
  EXPECT_NEAR(compute(dense, {logits, f32({2, 3}, {0, 0, 1, 1, 0, 0})}, "f32")[0],
              (first + second) / 2, 1e-7);
}

TEST(CrossEntropy, IgnoredSamplesDoNotCount) {
  Tensor logits = f32({2, 3}, {1, 2, 3, 1, 1, 1});
  std::string op = "graph.softmax_cross_entropy %a, %b {ignore_index = -1} : tensor<2x3xf32>, "
                   "tensor<2xi64>";
  EXPECT_NEAR(compute(op, {logits, i64({2}, {-1, 0})}, "f32")[0], std::log(3.0), 1e-7);
  EXPECT_TRUE(std::isnan(compute(op, {logits, i64({2}, {-1, -1})}, "f32")[0]));
}

TEST(Optimizer, Sgd) {
  EXPECT_EQ(compute("graph.sgd %a, %b, %c {weight_decay = 0.5} : tensor<2xf32>, tensor<f32>",
                    {f32({2}, {1, 2}), f32({2}, {4, -8}), f32({}, {0.5})}, "2xf32"),
            (Values{1 - 0.5 * 4.5, 2 + 0.5 * 7}));
}

TEST(Optimizer, Momentum) {
  std::vector<Tensor> operands = {f32({1}, {1}), f32({1}, {2}), f32({1}, {4}), f32({}, {0.25})};
  auto step = [&](const std::string &attributes) {
    auto results = evaluateAll("graph.momentum %a, %b, %c, %d {momentum = 0.5" + attributes +
                                   "} : tensor<1xf32>, tensor<f32>",
                               operands, {"tensor<1xf32>", "tensor<1xf32>"});
    return Values{results[0][0].f, results[1][0].f};
  };
  EXPECT_EQ(step(""), (Values{0, 4}));
  EXPECT_EQ(step(", nesterov"), (Values{0, 4}));
  EXPECT_EQ(step(", weight_decay = 2.0, nesterov"), (Values{1 - 0.25 * 7, 6}));
}

TEST(Contraction, AnMlpStepIsNotSlow) {
  // The products of a training step of 784-512-512-10 at batch 32 are less than three of these.
  Tensor a = Tensor(ElementType::F32, {32, 784}), b = Tensor(ElementType::F32, {784, 896});
  auto start = std::chrono::steady_clock::now();
  evaluate("graph.matmul %a, %b : tensor<32x784xf32>, tensor<784x896xf32>", {a, b},
           "tensor<32x896xf32>");
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(seconds.count() * 1e3));
  EXPECT_LT(seconds.count(), 10.0);
}
