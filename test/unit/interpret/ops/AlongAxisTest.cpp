// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that read the elements along one axis in order, and contractions by letters.

#include "test/unit/interpret/Evaluate.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pcc::interpret;

using Values = std::vector<double>;

static Values compute(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                      const std::string &type) {
  return valuesOf(evaluate(op, arguments, "tensor<" + type + ">"));
}

TEST(Argument, FirstAndLastOfEqualElements) {
  Tensor x = f32({2, 4}, {3, 1, 3, 1, -1, -2, -2, -1});
  EXPECT_EQ(compute("graph.argmax %a axis = 1 : tensor<2x4xf32>", {x}, "2xi64"), (Values{0, 0}));
  EXPECT_EQ(compute("graph.argmax %a axis = 1 {last} : tensor<2x4xf32>", {x}, "2xi64"),
            (Values{2, 3}));
  EXPECT_EQ(compute("graph.argmin %a axis = 1 : tensor<2x4xf32>", {x}, "2xi64"), (Values{1, 1}));
  EXPECT_EQ(compute("graph.argmin %a axis = 1 {last} : tensor<2x4xf32>", {x}, "2xi64"),
            (Values{3, 2}));
  EXPECT_EQ(compute("graph.argmin %a axis = 0 : tensor<2x4xf32>", {x}, "4xi64"),
            (Values{1, 1, 1, 1}));
}

TEST(Argument, NanIsBeyondAllNumbers) {
  Tensor x = f32({4}, {1, NAN, HUGE_VAL, NAN});
  for (const char *op : {"argmax", "argmin"}) {
    std::string text = std::string("graph.") + op + " %a axis = 0";
    EXPECT_EQ(compute(text + " : tensor<4xf32>", {x}, "i64"), (Values{1}));
    EXPECT_EQ(compute(text + " {last} : tensor<4xf32>", {x}, "i64"), (Values{3}));
  }
}

TEST(TopK, ValuesAndNumbersInOrder) {
  Tensor x = i64({2, 4}, {3, 1, 3, 2, 0, 5, 0, 7});
  auto largest = evaluateAll("graph.top_k %a axis = 1 : tensor<2x4xi64> to tensor<2x3xi64>", {x},
                             {"tensor<2x3xi64>", "tensor<2x3xi64>"});
  EXPECT_EQ(valuesOf(largest[0]), (Values{3, 3, 2, 7, 5, 0}));
  EXPECT_EQ(valuesOf(largest[1]), (Values{0, 2, 3, 3, 1, 0}));
  auto least =
      evaluateAll("graph.top_k %a axis = 0 {smallest} : tensor<2x4xi64> to tensor<2x4xi64>", {x},
                  {"tensor<2x4xi64>", "tensor<2x4xi64>"});
  EXPECT_EQ(valuesOf(least[0]), (Values{0, 1, 0, 2, 3, 5, 3, 7}));
  EXPECT_EQ(valuesOf(least[1]), (Values{1, 0, 1, 0, 0, 1, 0, 1}));
}

TEST(Cumsum, DirectionsAndEnds) {
  Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  auto cumsum = [&](const std::string &how) {
    return compute("graph.cumsum %a axis = 1 " + how + " : tensor<2x3xf32>", {x}, "2x3xf32");
  };
  EXPECT_EQ(cumsum(""), (Values{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(cumsum("{exclusive}"), (Values{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(cumsum("{reverse}"), (Values{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(cumsum("{exclusive, reverse}"), (Values{5, 3, 0, 11, 6, 0}));
}

TEST(Einsum, SumsProductsByLetters) {
  Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  const std::string types = " : tensor<2x3xf32>, tensor<3x2xf32>";
  EXPECT_EQ(compute("graph.einsum \"ij,jk->ik\" %a, %b" + types, {a, b}, "2x2xf32"),
            (Values{4, 5, 10, 11}));
  EXPECT_EQ(compute("graph.einsum \"ij,jk->ki\" %a, %b" + types, {a, b}, "2x2xf32"),
            (Values{4, 10, 5, 11}));
  // The sum also runs over a letter that only one operand has.
  EXPECT_EQ(compute("graph.einsum \"ij,jk->i\" %a, %b" + types, {a, b}, "2xf32"), (Values{9, 21}));
  EXPECT_EQ(compute("graph.einsum \"ij,ji->\" %a, %b" + types, {a, b}, "f32"), (Values{15}));
}
