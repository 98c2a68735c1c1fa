// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Evaluate.h"

#include "mlir/IR/Builders.h"
#include <gtest/gtest.h>
#include <limits>

namespace pcc::import {
namespace {

using Integers = llvm::SmallVector<int64_t>;

class EvaluateTest : public ::testing::Test {
protected:
  mlir::MLIRContext context;

  /// 0, 1, 2, … in `shape`.
  Constant counted(llvm::ArrayRef<int64_t> shape) {
    Integers values(mlir::ShapedType::getNumElements(shape));
    for (auto [i, value] : llvm::enumerate(values))
      value = i;
    return evaluateReshape(Constant::integers(&context, values), shape);
  }
  Constant integers(llvm::ArrayRef<int64_t> values) { return Constant::integers(&context, values); }
};

TEST_F(EvaluateTest, MovesElements) {
  EXPECT_EQ(*evaluateTranspose(counted({2, 3}), {1, 0}).asIntegers(), (Integers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(*evaluateBroadcast(counted({2, 1}), {2, 2, 2}).asIntegers(),
            (Integers{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(*evaluateSlice(counted({2, 4}), 1, 3, -2, 2).asIntegers(), (Integers{3, 1, 7, 5}));
  Constant x = counted({2, 2}), y = counted({2, 1});
  EXPECT_EQ(*evaluateConcat({&x, &y}, 1).asIntegers(), (Integers{0, 1, 0, 2, 3, 1}));
  EXPECT_EQ(*evaluateGather(counted({2, 3}), integers({2, 0}), 1).asIntegers(),
            (Integers{2, 0, 5, 3}));
}

TEST_F(EvaluateTest, ReducesAndKeepsSplats) {
  using Kind = graph::ReduceOpKind;
  EXPECT_EQ(*evaluateReduce(Kind::Sum, counted({2, 3}), {0})->asIntegers(), (Integers{3, 5, 7}));
  EXPECT_EQ(*evaluateReduce(Kind::Max, counted({2, 3}), {0, 1})->asIntegers(), (Integers{5}));
  Constant splat =
      Constant::splat(mlir::IntegerType::get(&context, 64), {1 << 20, 1 << 20}, {.i = 3});
  Constant doubled = *evaluateBinary("graph.add", splat, splat);
  EXPECT_TRUE(doubled.isSplat());
  EXPECT_EQ(doubled[5].i, 6);
}

TEST_F(EvaluateTest, IntegerArithmeticWrapsAndNeverTraps) {
  int64_t least = std::numeric_limits<int64_t>::min();
  Constant x = integers({least}), minusOne = integers({-1}), zero = integers({0});
  EXPECT_EQ((*evaluateBinary("graph.div", x, minusOne))[0].i, least);
  EXPECT_EQ((*evaluateBinary("graph.mod", x, minusOne))[0].i, 0);
  EXPECT_EQ((*evaluateBinary("graph.add", x, minusOne))[0].i, std::numeric_limits<int64_t>::max());
  EXPECT_EQ((*evaluateUnary("graph.neg", x))[0].i, least);
  EXPECT_FALSE(evaluateBinary("graph.div", x, zero));
}

TEST_F(EvaluateTest, ConvertsAsTheGraphDoes) {
  mlir::Builder b(&context);
  mlir::Type f32 = b.getF32Type(), i64 = b.getI64Type(), i1 = b.getI1Type();
  EXPECT_EQ(convert({.f = -2.7}, f32, i64).i, -2);
  EXPECT_EQ(convert({.f = 1e30}, f32, i64).i, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(convert({.f = std::numeric_limits<double>::quiet_NaN()}, f32, i64).i, 0);
  EXPECT_EQ(convert({.f = 0.5}, f32, i1).i, 1);
  EXPECT_EQ(convert({.i = (1 << 24) + 1}, i64, f32).f, 16777216.0);
  EXPECT_EQ(convert({.i = 300}, i64, b.getI8Type()).i, 44);
}

} // namespace
} // namespace pcc::import
