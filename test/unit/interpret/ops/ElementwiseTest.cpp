// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops on values computed by hand, and on special values: NaN, infinities, signs,
// overflow.

#include "test/unit/interpret/Evaluate.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pcc::interpret;

using Values = std::vector<double>;
static constexpr double infinity = HUGE_VAL;

static Tensor applied(const std::string &name, const Values &x,
                      const std::string &attributes = "") {
  return elementwise(name, {f32({static_cast<int64_t>(x.size())}, x)}, attributes);
}

/// Expects equality within one unit in the last place of f32.
static void expectNear(const Tensor &actual, const Values &expected) {
  ASSERT_EQ(actual.size(), static_cast<int64_t>(expected.size()));
  for (size_t n = 0; n < expected.size(); ++n)
    EXPECT_NEAR(actual[n].f, expected[n], 0x1p-23 * std::fabs(expected[n])) << n;
}

TEST(Arithmetic, Floats) {
  Tensor x = f32({3}, {6, -7, 1}), y = f32({3}, {4, 2, 0});
  EXPECT_EQ(valuesOf(elementwise("add", {x, y})), (Values{10, -5, 1}));
  EXPECT_EQ(valuesOf(elementwise("sub", {x, y})), (Values{2, -9, 1}));
  EXPECT_EQ(valuesOf(elementwise("mul", {x, y})), (Values{24, -14, 0}));
  EXPECT_EQ(valuesOf(elementwise("div", {x, y})), (Values{1.5, -3.5, infinity}));
  EXPECT_EQ(valuesOf(elementwise("max", {x, y})), (Values{6, 2, 1}));
  EXPECT_EQ(valuesOf(elementwise("min", {x, y})), (Values{4, -7, 0}));
  EXPECT_EQ(valuesOf(elementwise("pow", {x, y})), (Values{1296, 49, 1}));
}

TEST(Arithmetic, ResultsAreRoundedOnce) {
  // 2^24 + 1 is not representable in f32.
  Tensor sum = elementwise("add", {f32({1}, {0x1p24}), f32({1}, {1})});
  EXPECT_EQ(sum[0].f, 0x1p24);
}

TEST(Arithmetic, DoublesStayWide) {
  Tensor sum = evaluate("graph.add %a, %b : tensor<1xf32>", {f32({1}, {0x1p24}), f32({1}, {1})},
                        "tensor<1xf32>", Precision::Double);
  EXPECT_EQ(sum[0].f, 0x1p24 + 1);
}

TEST(Arithmetic, NanGoesThroughMaxAndMin) {
  Tensor x = f32({2}, {NAN, 1}), y = f32({2}, {1, NAN});
  for (const char *name : {"max", "min", "add", "mod"})
    for (double value : valuesOf(elementwise(name, {x, y})))
      EXPECT_TRUE(std::isnan(value)) << name;
}

TEST(Arithmetic, IntegersTruncateAndWrap) {
  Tensor x = i64({4}, {7, -7, INT64_MIN, INT64_MAX}), y = i64({4}, {2, 2, -1, 1});
  EXPECT_TRUE(elementwise("div", {x, y}).identical(i64({4}, {3, -3, INT64_MIN, INT64_MAX})));
  EXPECT_TRUE(elementwise("mod", {x, y}).identical(i64({4}, {1, -1, 0, 0})));
  EXPECT_TRUE(elementwise("add", {x, y}).identical(i64({4}, {9, -5, INT64_MAX, INT64_MIN})));
  Tensor bytes = Tensor::integers(ElementType::I8, {2}, {100, -128});
  EXPECT_EQ(valuesOf(elementwise("add", {bytes, bytes})), (Values{-56, 0}));
  EXPECT_EQ(valuesOf(elementwise("neg", {bytes})), (Values{-100, -128}));
}

TEST(Arithmetic, UnsignedIntegersHaveNoSign) {
  auto ui64 = [](llvm::ArrayRef<int64_t> values) {
    return Tensor::integers(ElementType::UI64, {static_cast<int64_t>(values.size())}, values);
  };
  // The bits of 2^64 - 1 and 2^63.
  Tensor x = ui64({-1, INT64_MIN, 7}), y = ui64({2, -1, INT64_MIN});
  EXPECT_TRUE(elementwise("div", {x, y}).identical(ui64({INT64_MAX, 0, 0})));
  EXPECT_TRUE(elementwise("mod", {x, y}).identical(ui64({1, INT64_MIN, 7})));
  EXPECT_TRUE(elementwise("max", {x, y}).identical(ui64({-1, -1, INT64_MIN})));
  EXPECT_TRUE(elementwise("min", {x, y}).identical(ui64({2, INT64_MIN, 7})));
  EXPECT_TRUE(elementwise("abs", {x}).identical(x));
  EXPECT_TRUE(elementwise("relu", {x}).identical(x));
  EXPECT_TRUE(elementwise("sign", {x}).identical(ui64({1, 1, 1})));
  EXPECT_TRUE(elementwise("neg", {x}).identical(ui64({1, INT64_MIN, -7})));
  Tensor less = evaluate("graph.compare lt %a, %b : tensor<3xui64>", {x, y}, "tensor<3xi1>");
  EXPECT_EQ(valuesOf(less), (Values{0, 1, 1}));
  Tensor bytes = Tensor::integers(ElementType::UI8, {2}, {200, 3});
  EXPECT_EQ(valuesOf(elementwise("add", {bytes, bytes})), (Values{144, 6}));
  EXPECT_EQ(
      valuesOf(elementwise("sub", {bytes, Tensor::integers(ElementType::UI8, {2}, {201, 1})})),
      (Values{255, 2}));
}

TEST(Arithmetic, RemainderHasTheSignOfTheDividend) {
  Tensor remainder = elementwise("mod", {f32({2}, {5.5, -5.5}), f32({2}, {2, 2})});
  EXPECT_EQ(valuesOf(remainder), (Values{1.5, -1.5}));
}

TEST(Arithmetic, IntegerDivisionByZeroIsAnError) {
  TestModule module("func.func @f(%a: tensor<1xi64>) -> tensor<1xi64> {\n"
                    "  %0 = graph.div %a, %a : tensor<1xi64>\n"
                    "  return %0 : tensor<1xi64>\n}");
  EXPECT_TRUE(failed(runOnRanks(module.function("f"), {{i64({1}, {0})}})));
  EXPECT_EQ(module.getErrors(), "on rank 0: integer division by zero\n");
}

TEST(Functions, Rounding) {
  Values halves = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.6};
  EXPECT_EQ(valuesOf(applied("round", halves)), (Values{-2, -2, 0, 0, 2, 2, 3}));
  EXPECT_EQ(valuesOf(applied("floor", halves)), (Values{-3, -2, -1, 0, 1, 2, 2}));
  EXPECT_EQ(valuesOf(applied("ceil", halves)), (Values{-2, -1, 0, 1, 2, 3, 3}));
}

TEST(Functions, Values) {
  expectNear(applied("exp", {0, 1, -1}), {1, std::exp(1), std::exp(-1)});
  expectNear(applied("log", {1, 2}), {0, std::log(2)});
  expectNear(applied("log1p", {0x1p-30}), {0x1p-30});
  expectNear(applied("sqrt", {4, 2}), {2, std::sqrt(2)});
  expectNear(applied("rsqrt", {4, 16}), {0.5, 0.25});
  expectNear(applied("square", {-3}), {9});
  expectNear(applied("reciprocal", {4}), {0.25});
  expectNear(applied("sin", {1}), {std::sin(1)});
  expectNear(applied("cos", {1}), {std::cos(1)});
  expectNear(applied("tanh", {0.5}), {std::tanh(0.5)});
  expectNear(applied("sigmoid", {0, 100, -80}), {0.5, 1, std::exp(-80)});
  expectNear(applied("erf", {0.5}), {std::erf(0.5)});
  EXPECT_EQ(valuesOf(applied("sign", {-3, 0, 2})), (Values{-1, 0, 1}));
  EXPECT_EQ(valuesOf(applied("abs", {-3, 2})), (Values{3, 2}));
}

TEST(Functions, Edges) {
  EXPECT_EQ(applied("exp", {1000})[0].f, infinity);
  EXPECT_EQ(applied("log", {0})[0].f, -infinity);
  EXPECT_TRUE(std::isnan(applied("log", {-1})[0].f));
  EXPECT_TRUE(std::isnan(applied("sqrt", {-1})[0].f));
}

TEST(Activations, Values) {
  EXPECT_EQ(valuesOf(applied("relu", {-1, 0, 2})), (Values{0, 0, 2}));
  expectNear(applied("leaky_relu", {-4, 2}, "{alpha = 0.25}"), {-1, 2});
  expectNear(applied("elu", {-1, 2}, "{alpha = 0.5}"), {0.5 * (std::exp(-1) - 1), 2});
  expectNear(applied("gelu", {1}), {0.5 * (1 + std::erf(std::sqrt(0.5)))});
  expectNear(applied("silu", {0, 2}), {0, 2 / (1 + std::exp(-2))});
  expectNear(applied("softplus", {0, 1000, -1000}), {std::log(2), 1000, 0});
  EXPECT_EQ(valuesOf(applied("clamp", {-5, 0.5, 9}, "{low = -1.0, high = 6.0}")),
            (Values{-1, 0.5, 6}));
  EXPECT_TRUE(std::isnan(applied("relu", {NAN})[0].f));
}

TEST(Activations, GeluTanhIsNearTheExactOne) {
  Tensor exact = applied("gelu", {-2, -0.5, 0.5, 2});
  Tensor approximate = applied("gelu", {-2, -0.5, 0.5, 2}, "{form = #graph.gelu_form<tanh>}");
  for (int64_t n = 0; n < exact.size(); ++n) {
    EXPECT_NE(exact[n].f, approximate[n].f);
    EXPECT_NEAR(exact[n].f, approximate[n].f, 1e-3);
  }
}

TEST(Logic, CompareAndSelect) {
  Tensor x = f32({4}, {1, 2, 3, NAN}), y = f32({4}, {2, 2, 2, NAN});
  auto compare = [&](const std::string &direction) {
    return valuesOf(
        evaluate("graph.compare " + direction + " %a, %b : tensor<4xf32>", {x, y}, "tensor<4xi1>"));
  };
  EXPECT_EQ(compare("eq"), (Values{0, 1, 0, 0}));
  EXPECT_EQ(compare("ne"), (Values{1, 0, 1, 1}));
  EXPECT_EQ(compare("lt"), (Values{1, 0, 0, 0}));
  EXPECT_EQ(compare("le"), (Values{1, 1, 0, 0}));
  EXPECT_EQ(compare("gt"), (Values{0, 0, 1, 0}));
  EXPECT_EQ(compare("ge"), (Values{0, 1, 1, 0}));
  Tensor mask = Tensor::integers(ElementType::I1, {4}, {1, 0, 1, 0});
  Tensor chosen =
      evaluate("graph.select %a, %b, %c : tensor<4xf32>", {mask, y, x}, "tensor<4xf32>");
  EXPECT_TRUE(chosen.identical(f32({4}, {2, 2, 2, NAN})));
  EXPECT_EQ(valuesOf(elementwise("not", {mask})), (Values{0, 1, 0, 1}));
}

TEST(Logic, Casts) {
  Tensor x = f32({4}, {-1.75, 0, NAN, 300.5});
  auto cast = [](const Tensor &from, const std::string &to) {
    std::string type = "tensor<4x" + to + ">";
    return valuesOf(
        evaluate("graph.cast %a : tensor<" + from.typeString() + "> to " + type, {from}, type));
  };
  EXPECT_EQ(cast(x, "i64"), (Values{-1, 0, 0, 300}));
  EXPECT_EQ(cast(x, "i8"), (Values{-1, 0, 0, 44}));
  EXPECT_EQ(cast(x, "i1"), (Values{1, 0, 1, 1}));
  EXPECT_EQ(cast(f32({4}, {1, 257, 259, 0}), "bf16"), (Values{1, 256, 260, 0}));
  EXPECT_EQ(cast(i64({4}, {0, 1, -2, 0x1000001}), "f32"), (Values{0, 1, -2, 0x1000000}));
}
