// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, and graph ops on them. The interpreter's tests cover the values of ops on dense
// tensors.

#include "compiler/import/emit/Evaluate.h"

#include "mlir/IR/Builders.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pcc::import {
namespace {

using Integers = llvm::SmallVector<int64_t>;

class EvaluateTest : public ::testing::Test {
protected:
  mlir::MLIRContext context;
  mlir::Builder b{&context};

  /// Returns 0, 1, 2, … in `shape`.
  Constant counted(llvm::ArrayRef<int64_t> shape) {
    Integers values(mlir::ShapedType::getNumElements(shape));
    for (auto [i, value] : llvm::enumerate(values))
      value = i;
    return evaluateReshape(Constant::integers(&context, values), shape);
  }
  Constant integers(llvm::ArrayRef<int64_t> values) { return Constant::integers(&context, values); }

  /// Returns a tensor of `shape` whose elements are all 3.
  Constant threes(llvm::ArrayRef<int64_t> shape) {
    Constant three = Constant::scalar(b.getI64Type(), int64_t(3));
    return Constant::splat(three.type.clone(shape), three.elements);
  }
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

TEST_F(EvaluateTest, SplatsStaySmall) {
  Constant splat = threes({1 << 20, 1 << 20});
  Constant doubled = *evaluateElementwise("graph.add", {&splat, &splat});
  EXPECT_TRUE(doubled.isSplat());
  EXPECT_EQ(doubled[5].i, 6);
  EXPECT_TRUE(evaluateTranspose(doubled, {1, 0}).isSplat());
  EXPECT_TRUE(evaluateCompare(graph::Direction::LT, splat, doubled)[7].i);
}

TEST_F(EvaluateTest, SplatsBesideOthers) {
  Constant x = counted({2, 2}), three = threes({2, 2}), empty = threes({0});
  EXPECT_EQ(*evaluateElementwise("graph.sub", {&three, &x})->asIntegers(), (Integers{3, 2, 1, 0}));
  EXPECT_EQ(*evaluateConcat({&three, &x}, 0).asIntegers(), (Integers{3, 3, 3, 3, 0, 1, 2, 3}));
  EXPECT_EQ(empty.asIntegers()->size(), 0u);
  EXPECT_EQ(evaluateElementwise("graph.add", {&empty, &empty})->size(), 0);
}

TEST_F(EvaluateTest, Reduces) {
  using Kind = graph::ReduceOpKind;
  EXPECT_EQ(*evaluateReduce(Kind::Sum, counted({2, 3}), {0})->asIntegers(), (Integers{3, 5, 7}));
  EXPECT_EQ(*evaluateReduce(Kind::Max, counted({2, 3}), {0, 1})->asIntegers(), (Integers{5}));
  EXPECT_EQ(*evaluateReduce(Kind::Prod, threes({0}), {0})->asIntegers(), (Integers{1}));
  Constant halves = evaluateCast(counted({2, 2}), b.getF32Type());
  EXPECT_EQ((*evaluateReduce(Kind::Mean, halves, {1}))[1].f, 2.5);
  EXPECT_FALSE(evaluateReduce(Kind::Mean, counted({2, 2}), {1}));
}

TEST_F(EvaluateTest, WhatHasNoValueIsLeftToTheProgram) {
  Constant x = integers({7}), zero = integers({0});
  EXPECT_FALSE(evaluateElementwise("graph.div", {&x, &zero}));
  EXPECT_FALSE(evaluateElementwise("graph.exp", {&x}));
  EXPECT_FALSE(evaluateElementwise("graph.gelu", {&x}));
}

TEST_F(EvaluateTest, ResultsAreOfTheElementType) {
  Constant x = evaluateCast(integers({200, 100}), b.getIntegerType(8, /*isSigned=*/false));
  EXPECT_EQ(*evaluateElementwise("graph.add", {&x, &x})->asIntegers(), (Integers{144, 200}));
  // f64 has more than the 24 bits of f32.
  Constant wide = Constant::scalar(b.getF64Type(), 0x1p24 + 1);
  EXPECT_EQ(*wide.asNumber(), 0x1p24 + 1);
  EXPECT_EQ(*evaluateCast(wide, b.getF32Type()).asNumber(), 0x1p24);
  Constant one = Constant::scalar(b.getF32Type(), 1.0);
  Constant nan = Constant::scalar(b.getF32Type(), std::nan(""));
  EXPECT_TRUE(std::isnan(*evaluateElementwise("graph.max", {&one, &nan})->asNumber()));
}

TEST_F(EvaluateTest, Casts) {
  auto cast = [&](double value, mlir::Type type) {
    return evaluateCast(Constant::scalar(b.getF32Type(), value), type)[0].i;
  };
  EXPECT_EQ(cast(-2.7, b.getI64Type()), -2);
  EXPECT_EQ(cast(1e30, b.getI64Type()), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(cast(0.5, b.getI1Type()), 1);
  EXPECT_EQ(cast(300, b.getI8Type()), 44);
  EXPECT_EQ(cast(70000, b.getIntegerType(16)), 70000 - 65536);
  EXPECT_EQ(cast(-1, b.getIntegerType(32, /*isSigned=*/false)), 4294967295);
}

TEST_F(EvaluateTest, BytesThereAndBack) {
  const char bytes[] = {0, 0, '\xf8', 63, 0, 0, 0, '\xc0'}; // 1.9375, -2
  auto type = mlir::RankedTensorType::get({2}, b.getF32Type());
  Constant read = decodeConstant(type, bytes);
  EXPECT_EQ(read[0].f, 1.9375);
  auto attribute = mlir::cast<mlir::DenseElementsAttr>(encodeConstant(read, "name"));
  EXPECT_EQ(attribute.getValues<float>()[1], -2.0f);
  Constant many = counted({17});
  EXPECT_TRUE(mlir::isa<mlir::DenseResourceElementsAttr>(encodeConstant(many, "name")));
}

} // namespace
} // namespace pcc::import
