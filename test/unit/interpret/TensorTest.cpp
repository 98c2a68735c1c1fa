// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and tensors as values.

#include "Evaluate.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pcc::interpret;

TEST(Element, F16RoundsToNearestEven) {
  // f16 has 11 significant bits: between 2048 and 4096 the numbers are 2 apart.
  EXPECT_EQ(roundTo(ElementType::F16, 2049.0), 2048.0);
  EXPECT_EQ(roundTo(ElementType::F16, 2051.0), 2052.0);
  EXPECT_EQ(roundTo(ElementType::F16, 65519.0), 65504.0);
  EXPECT_EQ(roundTo(ElementType::F16, 65520.0), HUGE_VAL);
  // Subnormals are 2^-24 apart.
  EXPECT_EQ(roundTo(ElementType::F16, 1.5 * 0x1p-24), 0x1p-23);
  EXPECT_EQ(roundTo(ElementType::F16, 0.5 * 0x1p-24), 0.0);
}

TEST(Element, Bf16HasTheRangeOfF32) {
  EXPECT_EQ(roundTo(ElementType::BF16, 257.0), 256.0);
  EXPECT_EQ(roundTo(ElementType::BF16, 259.0), 260.0);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.0e38), 0x1.c4p127);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::BF16, NAN)));
  EXPECT_EQ(roundTo(ElementType::BF16, -HUGE_VAL), -HUGE_VAL);
}

TEST(Element, IntegersWrap) {
  EXPECT_EQ(wrapTo(ElementType::I8, 130), -126);
  EXPECT_EQ(wrapTo(ElementType::I32, int64_t(1) << 31), -(int64_t(1) << 31));
  EXPECT_EQ(wrapTo(ElementType::I1, ~int64_t(0)), 1);
  EXPECT_EQ(wrapTo(ElementType::I1, ~int64_t(1)), 0);
  EXPECT_EQ(wrapTo(ElementType::I16, 40000), 40000 - 65536);
  EXPECT_EQ(wrapTo(ElementType::UI8, -1), 255);
  EXPECT_EQ(wrapTo(ElementType::UI32, -1), 4294967295);
  EXPECT_EQ(wrapTo(ElementType::UI64, -1), -1); // the bits of 2^64 - 1
}

TEST(Element, TruncationSaturates) {
  EXPECT_EQ(truncate(-2.9), -2);
  EXPECT_EQ(truncate(NAN), 0);
  EXPECT_EQ(truncate(1e300), INT64_MAX);
  EXPECT_EQ(truncate(-1e300), INT64_MIN);
  EXPECT_EQ(truncate(ElementType::UI64, 0x1p63), INT64_MIN); // the bits of 2^63
  EXPECT_EQ(truncate(ElementType::UI64, 1e300), -1);
  EXPECT_EQ(truncate(ElementType::UI64, -3.5), -3);
  EXPECT_EQ(truncate(ElementType::UI64, NAN), 0);
  EXPECT_EQ(truncate(ElementType::UI8, 1e300), INT64_MAX);
}

TEST(Element, UnsignedNumbersAreNotNegative) {
  EXPECT_EQ(toDouble(ElementType::UI64, -1), 0x1p64);
  EXPECT_EQ(toDouble(ElementType::I64, -1), -1.0);
  EXPECT_EQ(minOf(ElementType::UI64), 0);
  EXPECT_EQ(maxOf(ElementType::UI64), -1);
}

TEST(Tensor, CopiesKeepTheirElements) {
  Tensor a = f32({2}, {1, 2}), b = a;
  b.mutableElements()[0].f = 5;
  EXPECT_EQ(valuesOf(a), (std::vector<double>{1, 2}));
  EXPECT_EQ(valuesOf(b), (std::vector<double>{5, 2}));
}

TEST(Tensor, RoundingSharesWhatIsRounded) {
  Tensor exact = f32({2}, {1, 2});
  EXPECT_EQ(exact.rounded(Precision::Element).elements().data(), exact.elements().data());
  Tensor wide = exact;
  wide.mutableElements()[0].f = 0.1;
  EXPECT_EQ(wide.rounded(Precision::Element)[0].f, static_cast<double>(0.1f));
  EXPECT_EQ(wide.rounded(Precision::Double)[0].f, 0.1);
}

TEST(Tensor, IdenticalTakesNanForEqual) {
  EXPECT_TRUE(f32({2}, {NAN, 1}).identical(f32({2}, {NAN, 1})));
  EXPECT_FALSE(f32({2}, {NAN, 1}).identical(f32({2}, {1, 1})));
  EXPECT_FALSE(f32({2}, {1, 1}).identical(f32({2, 1}, {1, 1})));
}
