// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of rng_uniform never change: programs, checkpoints and kernels rely on them.
#include "dialects/graph/CounterRng.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace pcc::graph;

// The first outputs of SplitMix64 from the state 0, as published with the generator.
static_assert(rngMix(rngIncrement) == 0xe220a8397b1dcdafu);
static_assert(rngMix(2 * rngIncrement) == 0x6e789e6aa1b965f4u);

static_assert(rngUniform(1, 2) == 0x1.b3d8e8p-2f);

TEST(CounterRng, LiesInTheUnitInterval) {
  for (int64_t index = -1000; index < 1000; ++index) {
    float value = rngUniform(42, index);
    EXPECT_GE(value, 0.0f);
    EXPECT_LT(value, 1.0f);
    EXPECT_EQ(value, std::floor(value * 0x1p24f) * 0x1p-24f);
  }
}

TEST(CounterRng, IsUniform) {
  constexpr int64_t count = 100000;
  double sum = 0, squares = 0;
  for (int64_t index = 0; index < count; ++index) {
    double value = rngUniform(7, index);
    sum += value;
    squares += value * value;
  }
  // The tolerance is five standard deviations of the mean of `count` uniform numbers.
  EXPECT_NEAR(sum / count, 0.5, 5 / std::sqrt(12.0 * count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.005);
}

TEST(CounterRng, SeedsDiffer) {
  int same = 0;
  for (int64_t index = 0; index < 1000; ++index)
    same += rngUniform(1, index) == rngUniform(2, index);
  EXPECT_LE(same, 1);
}
