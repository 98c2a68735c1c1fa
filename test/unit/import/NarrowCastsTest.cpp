// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts to narrow types against LLVM's APFloat and APInt: every number of a type, the numbers
// halfway between neighbors, their neighbors in f32, and numbers out of range.

#include "compiler/import/operators/NarrowCasts.h"

#include "compiler/import/files/NarrowTypes.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

class NarrowCastsTest : public testing::Test {
protected:
  NarrowCastsTest() : builder(&context) {}

  /// Returns `numbers` cast to `type` at import.
  std::vector<double> castAll(const std::vector<double> &numbers, Type type,
                              const NarrowRounding &rounding = {}) {
    Emitter emit(builder, builder.getUnknownLoc(), "test");
    auto shape = RankedTensorType::get({int64_t(numbers.size())}, builder.getF32Type());
    auto elements = values::Tensor::floats(values::ElementType::F32, shape.getShape(), numbers);
    Tensor result = castToStored(emit, Tensor::of(Constant::of(shape, elements)), type, rounding);
    std::vector<double> cast;
    if (!result || !result.known || result.elementType() != type)
      return cast;
    for (int64_t index = 0; index < result.known->size(); ++index)
      cast.push_back(result.known->elements.asDouble(index));
    return cast;
  }

  MLIRContext context;
  OpBuilder builder;
};

/// Returns numbers at which a cast to `semantics` can go wrong.
std::vector<double> numbersFor(const llvm::fltSemantics &semantics) {
  std::vector<double> all;
  unsigned width = llvm::APFloat::getSizeInBits(semantics);
  for (uint64_t code = 0; code < uint64_t(1) << width; ++code) {
    llvm::APFloat value(semantics, llvm::APInt(width, code));
    if (value.isFinite())
      all.push_back(value.convertToDouble());
  }
  llvm::sort(all);
  std::vector<double> numbers = all;
  auto add = [&](float number) {
    for (float near :
         {number, std::nextafter(number, HUGE_VALF), std::nextafter(number, -HUGE_VALF)})
      numbers.push_back(near);
  };
  for (size_t next = 1; next < all.size(); ++next)
    add(float((all[next - 1] + all[next]) / 2));
  double greatest = all.back();
  for (double factor : {1.01, 1.03, 1.07, 1.2, 3.0, 1e6})
    for (double sign : {1.0, -1.0})
      add(float(sign * factor * greatest));
  return numbers;
}

/// Returns `number` rounded to `semantics`, and limited to its range.
double nearest(const llvm::fltSemantics &semantics, double number) {
  double greatest = llvm::APFloat::getLargest(semantics).convertToDouble();
  if (std::fabs(number) > greatest)
    return std::copysign(greatest, number);
  llvm::APFloat value(number);
  bool losesInfo = false;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

TEST_F(NarrowCastsTest, FloatsRoundToTheNearest) {
  for (Type type : {Type(Float8E4M3FNType::get(&context)), Type(Float8E4M3FNUZType::get(&context)),
                    Type(Float8E5M2Type::get(&context)), Type(Float8E5M2FNUZType::get(&context)),
                    Type(Float4E2M1FNType::get(&context))}) {
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    std::vector<double> numbers = numbersFor(semantics), result = castAll(numbers, type);
    ASSERT_EQ(result.size(), numbers.size());
    for (size_t index = 0; index < numbers.size(); ++index)
      EXPECT_EQ(result[index], nearest(semantics, numbers[index])) << numbers[index];
  }
}

TEST_F(NarrowCastsTest, NumbersOutOfRangeBecomeInfiniteOrNaN) {
  NarrowRounding rounding;
  rounding.saturates = false;
  std::vector<double> numbers = {1e6, -1e6, HUGE_VAL, std::nan("")};
  auto infinite = castAll(numbers, Float8E5M2Type::get(&context), rounding);
  ASSERT_EQ(infinite.size(), 4u);
  EXPECT_EQ(infinite[0], HUGE_VAL);
  EXPECT_EQ(infinite[1], -HUGE_VAL);
  EXPECT_EQ(infinite[2], HUGE_VAL);
  EXPECT_TRUE(std::isnan(infinite[3]));
  for (double number : castAll(numbers, Float8E4M3FNType::get(&context), rounding))
    EXPECT_TRUE(std::isnan(number)) << number;
  auto limited = castAll(numbers, Float8E4M3FNType::get(&context));
  ASSERT_EQ(limited.size(), 4u);
  EXPECT_EQ(limited[2], 448.0);
  EXPECT_TRUE(std::isnan(limited[3]));
  auto withoutNaN = castAll(numbers, Float4E2M1FNType::get(&context));
  ASSERT_EQ(withoutNaN.size(), 4u);
  EXPECT_EQ(withoutNaN[2], 6.0);
  EXPECT_EQ(withoutNaN[3], 0.0);
}

TEST_F(NarrowCastsTest, PowersOfTwoRoundAsTheModeSays) {
  Type type = Float8E8M0FNUType::get(&context);
  std::vector<double> numbers = {1.0, 1.25, 1.5, 1.75, 0.3, 0x1p-127, 0x1p-140, 0x1.8p127, 96.0};
  auto castTo = [&](std::string mode) {
    NarrowRounding rounding;
    rounding.mode = std::move(mode);
    return castAll(numbers, type, rounding);
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(castTo("up"), (Numbers{1, 2, 2, 2, 0.5, 0x1p-127, 0x1p-127, 0x1p127, 128}));
  EXPECT_EQ(castTo("down"), (Numbers{1, 1, 1, 1, 0.25, 0x1p-127, 0x1p-127, 0x1p127, 64}));
  EXPECT_EQ(castTo("nearest"), (Numbers{1, 1, 2, 2, 0.25, 0x1p-127, 0x1p-127, 0x1p127, 128}));
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  EXPECT_TRUE(castTo("sideways").empty());
}

TEST_F(NarrowCastsTest, IntegersKeepTheirLowBits) {
  std::vector<double> numbers;
  for (int number = -20; number <= 20; ++number)
    numbers.push_back(number);
  for (unsigned width : {2u, 4u})
    for (bool isUnsigned : {false, true}) {
      auto type = IntegerType::get(&context, width,
                                   isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
      std::vector<double> result = castAll(numbers, type);
      ASSERT_EQ(result.size(), numbers.size());
      for (size_t index = 0; index < numbers.size(); ++index) {
        llvm::APInt bits = llvm::APInt(32, int64_t(numbers[index]), true).trunc(width);
        EXPECT_EQ(result[index],
                  isUnsigned ? double(bits.getZExtValue()) : double(bits.getSExtValue()));
      }
    }
}

TEST_F(NarrowCastsTest, StoredNumbersAreUnpackedFromTheLowBits) {
  auto decode = [&](Type type, int64_t count, std::vector<char> bytes) {
    auto tensor = RankedTensorType::get({count}, type);
    EXPECT_EQ(storedBytes(tensor), bytes.size());
    Constant constant = decodeConstant(tensor, *widen(tensor, bytes));
    std::vector<double> numbers;
    for (int64_t index = 0; index < count; ++index)
      numbers.push_back(constant.elements.asDouble(index));
    return numbers;
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(decode(IntegerType::get(&context, 4), 3, {'\x8f', '\x07'}), (Numbers{-1, -8, 7}));
  EXPECT_EQ(decode(IntegerType::get(&context, 4, IntegerType::Unsigned), 2, {'\x8f'}),
            (Numbers{15, 8}));
  EXPECT_EQ(decode(IntegerType::get(&context, 2), 5, {'\xe4', '\x01'}), (Numbers{0, 1, -2, -1, 1}));
  EXPECT_EQ(decode(Float4E2M1FNType::get(&context), 2, {'\xf1'}), (Numbers{0.5, -6}));
  EXPECT_EQ(decode(Float8E4M3FNType::get(&context), 2, {'\x38', '\xfe'}), (Numbers{1, -448}));
  EXPECT_EQ(decode(Float8E8M0FNUType::get(&context), 2, {'\x00', '\x80'}), (Numbers{0x1p-127, 2}));
}

} // namespace
} // namespace pcc::import
