// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions, reductions, losses and optimizer steps.

#include "test/unit/interpret/Evaluate.h"
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
  // In f32 the two small terms would vanish next to the large one.
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

// The product of the first half is infinite and that of the second half is zero. The whole product
// is one, and underflows with one more factor.
TEST(Reduce, ProductsDoNotOverflowOnTheWay) {
  std::vector<double> factors(4096, 0x1p-120);
  std::fill(factors.begin(), factors.begin() + 2048, 0x1p120);
  auto product = [&] {
    return compute("graph.reduce prod %a, [0] : tensor<4096xf32>", {f32({4096}, factors)}, "f32");
  };
  EXPECT_EQ(product(), (Values{1}));
  factors[0] = 0x1p-120;
  EXPECT_EQ(product(), (Values{0}));
  factors[1] = -INFINITY;
  EXPECT_EQ(product(), (Values{-INFINITY}));
  factors[2] = 0;
  EXPECT_TRUE(std::isnan(product()[0]));
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

/// Runs one step of an op with Adam's operands: parameters 3 and 4, gradients 1 and -2, moments,
/// rate.
Values adamStep(const std::string &op, int64_t step, const std::string &attributes) {
  std::vector<Tensor> operands = {f32({2}, {3, 4}),      f32({2}, {1, -2}), f32({2}, {0.5, 1}),
                                  f32({2}, {0.25, 0.5}), f32({}, {0.5}),    i64({}, {step})};
  auto results = evaluateAll("graph." + op + " %a, %b, %c, %d, %e, %f {beta1 = 0.5, beta2 = 0.75" +
                                 attributes + "} : tensor<2xf32>, tensor<f32>, tensor<i64>",
                             operands, {"tensor<2xf32>", "tensor<2xf32>", "tensor<2xf32>"});
  Values values;
  for (const Tensor &result : results)
    for (Element element : result.elements())
      values.push_back(element.f);
  return values;
}

/// Compares with values computed by hand from the formulas of the papers.
void expectNear(const Values &values, const Values &expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (auto [value, number] : llvm::zip_equal(values, expected))
    EXPECT_NEAR(value, number, 1e-6 * (1 + std::abs(number)));
}

TEST(Optimizer, Adam) {
  // m = 0.75, -0.5; v = 0.4375, 1.375; step 0 divides them by 0.5 and 0.25.
  double first = 1.5 / (std::sqrt(1.75) + 0.25), second = -1 / (std::sqrt(5.5) + 0.25);
  expectNear(adamStep("adam", 0, ", epsilon = 0.25"),
             {3 - first / 2, 4 - second / 2, 0.75, -0.5, 0.4375, 1.375});
  // Step 1 divides by 0.75 and 0.4375.
  first = 1 / (1 + 0.25), second = (-0.5 / 0.75) / (std::sqrt(1.375 / 0.4375) + 0.25);
  expectNear(adamStep("adam", 1, ", epsilon = 0.25"),
             {3 - first / 2, 4 - second / 2, 0.75, -0.5, 0.4375, 1.375});
  // The decay is part of the gradient: 1 + 3, -2 + 4.
  Values decayed = adamStep("adam", 0, ", epsilon = 0.25, weight_decay = 1.0");
  expectNear({decayed[2], decayed[3], decayed[4], decayed[5]}, {2.25, 1.5, 4.1875, 1.375});
}

TEST(Optimizer, AdamWeightDecay) {
  double first = 1.5 / (std::sqrt(1.75) + 0.25), second = -1 / (std::sqrt(5.5) + 0.25);
  expectNear(adamStep("adam_weight_decay", 0, ", epsilon = 0.25, weight_decay = 0.1"),
             {3 - (first + 0.3) / 2, 4 - (second + 0.4) / 2, 0.75, -0.5, 0.4375, 1.375});
}

TEST(Optimizer, Lamb) {
  double first = 1.5 / (std::sqrt(1.75) + 0.25) + 0.3, second = -1 / (std::sqrt(5.5) + 0.25) + 0.4;
  double ratio = 5 / std::sqrt(first * first + second * second);
  expectNear(adamStep("lamb", 0, ", epsilon = 0.25, weight_decay = 0.1"),
             {3 - ratio * first / 2, 4 - ratio * second / 2, 0.75, -0.5, 0.4375, 1.375});
}

TEST(Optimizer, LambStepsPlainlyWhereANormIsZero) {
  std::vector<Tensor> operands = {f32({1}, {0}), f32({1}, {1}),  f32({1}, {0}),
                                  f32({1}, {0}), f32({}, {0.5}), i64({}, {0})};
  auto results =
      evaluateAll("graph.lamb %a, %b, %c, %d, %e, %f {beta1 = 0.5, beta2 = 0.75, epsilon = 1.0} : "
                  "tensor<1xf32>, tensor<f32>, tensor<i64>",
                  operands, {"tensor<1xf32>", "tensor<1xf32>", "tensor<1xf32>"});
  EXPECT_EQ(results[0][0].f, -0.25); // direction 1 / (1 + 1)
}

TEST(Optimizer, Adagrad) {
  auto results = evaluateAll("graph.adagrad %a, %b, %c, %d {epsilon = 1.0, weight_decay = 0.5} : "
                             "tensor<1xf32>, tensor<f32>",
                             {f32({1}, {2}), f32({1}, {3}), f32({1}, {9}), f32({}, {0.5})},
                             {"tensor<1xf32>", "tensor<1xf32>"});
  EXPECT_EQ(results[1][0].f, 25); // 9 + (3 + 1)²
  EXPECT_NEAR(results[0][0].f, 2 - 0.5 * 4 / 6, 1e-6);
}

TEST(Contraction, AnMlpStepIsNotSlow) {
  // The matmuls of a training step of 784-512-512-10 at batch 32 take less than three times this
  // one.
  Tensor a = Tensor(ElementType::F32, {32, 784}), b = Tensor(ElementType::F32, {784, 896});
  auto start = std::chrono::steady_clock::now();
  evaluate("graph.matmul %a, %b : tensor<32x784xf32>, tensor<784x896xf32>", {a, b},
           "tensor<32x896xf32>");
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(seconds.count() * 1e3));
  EXPECT_LT(seconds.count(), 10.0);
}
