// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Pack.h"

#include <gtest/gtest.h>
#include <random>

using namespace pcc::solve;

TEST(Pack, SharesBytesOfBuffersThatNeverMeet) {
  PackProblem problem{{{64, 0, 1}, {64, 0, 3}, {64, 2, 3}}};
  PackSolution offsets = packBestFit(problem);
  EXPECT_EQ(verify(problem, offsets), "");
  EXPECT_EQ(peakOf(problem, offsets), 128);
  EXPECT_EQ(offsets[0], offsets[2]);
}

TEST(Pack, ItemsThatTouchInTimeAreLiveAtOnce) {
  PackProblem problem{{{10, 0, 1}, {10, 1, 2}}};
  EXPECT_EQ(verify(problem, {0, 0}), "items 0 and 1 overlap");
  EXPECT_EQ(verify(problem, {0, 64}), "");
  EXPECT_EQ(lowerBound(problem), 128);
}

TEST(Pack, RefusesUnalignedOffsets) {
  PackProblem problem{{{10, 0, 1}}};
  EXPECT_EQ(verify(problem, {8}), "offset 8 of item 0 is no multiple of 64");
  EXPECT_EQ(verify(problem, {}), "expected 1 offsets, got 0");
}

TEST(Pack, NothingNeedsNothing) {
  EXPECT_EQ(peakOf({}, packBestFit({})), 0);
  EXPECT_EQ(lowerBound({}), 0);
}

/// Random ranges: never an overlap, and not far from the bound that no packing can beat.
TEST(Pack, RandomProblemsNeverOverlap) {
  double worst = 1, sum = 0;
  constexpr int trials = 200;
  for (int seed = 0; seed < trials; ++seed) {
    std::mt19937 random(seed);
    PackProblem problem;
    size_t count = 1 + random() % 60;
    for (size_t i = 0; i < count; ++i) {
      int64_t first = random() % 40;
      problem.items.push_back(
          {int64_t(1 + random() % 5000), first, first + int64_t(random() % 12)});
    }
    PackSolution offsets = packBestFit(problem);
    ASSERT_EQ(verify(problem, offsets), "") << "seed " << seed;
    double ratio = double(peakOf(problem, offsets)) / lowerBound(problem);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  printf("peak / live-range bound over %d seeds: mean %.3f, worst %.3f\n", trials, sum / trials,
         worst);
  EXPECT_LT(worst, 1.6);
}
