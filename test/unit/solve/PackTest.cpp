// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/pack/PackSearch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace pcc::solve;

TEST(Pack, SharesBytesOfBuffersThatNeverMeet) {
  PackProblem problem{{{64, 0, 1}, {64, 0, 3}, {64, 2, 3}}};
  PackSolution offsets = pack(problem);
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
  EXPECT_EQ(peakOf({}, pack({})), 0);
  EXPECT_EQ(lowerBound({}), 0);
}

static PackProblem makeRandom(int seed, size_t most, int64_t times, int64_t longest) {
  std::mt19937 random(seed);
  PackProblem problem;
  size_t count = 1 + random() % most;
  for (size_t i = 0; i < count; ++i) {
    int64_t first = random() % times;
    problem.items.push_back(
        {int64_t(1 + random() % 5000), first, first + int64_t(random() % longest)});
  }
  return problem;
}

/// Returns the least peak. Items of a packing can be lowered in order of their offsets, each to the
/// lowest gap. Therefore some order of lowest gaps is as good as any packing.
static int64_t minPeak(const PackProblem &problem) {
  std::vector<size_t> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t least = INT64_MAX;
  do {
    PackProblem placed;
    PackSolution offsets;
    for (size_t item : order) {
      placed.items.push_back(problem.items[item]);
      offsets.push_back(0);
      while (!verify(placed, offsets).empty())
        offsets.back() += problem.alignment;
    }
    least = std::min(least, peakOf(placed, offsets));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Pack, SmallProblemsArePackedAsWellAsCanBe) {
  constexpr int trials = 60;
  for (int seed = 0; seed < trials; ++seed) {
    PackProblem problem = makeRandom(seed, 6, 10, 6);
    for (PackItem &item : problem.items)
      item.bytes = 64 * (1 + item.bytes % 9);
    PackSolution offsets = pack(problem, {.gap = 0});
    ASSERT_EQ(verify(problem, offsets), "") << "seed " << seed;
    EXPECT_EQ(peakOf(problem, offsets), minPeak(problem)) << "seed " << seed;
  }
}

/// Random ranges: items never overlap, and the peak is near the lower bound of all packings.
TEST(Pack, RandomProblemsNeverOverlap) {
  double worst = 1, sum = 0;
  constexpr int trials = 200;
  for (int seed = 0; seed < trials; ++seed) {
    PackProblem problem = makeRandom(seed, 60, 40, 12);
    PackSolution offsets = pack(problem);
    ASSERT_EQ(verify(problem, offsets), "") << "seed " << seed;
    double ratio = double(peakOf(problem, offsets)) / lowerBound(problem);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  printf("peak / live-range bound over %d seeds: mean %.3f, worst %.3f\n", trials, sum / trials,
         worst);
  EXPECT_LT(worst, 1.1);
}

TEST(Pack, MoreEffortIsNeverWorse) {
  for (int seed = 0; seed < 50; ++seed) {
    PackProblem problem = makeRandom(seed, 60, 40, 12);
    EXPECT_LE(peakOf(problem, pack(problem)), peakOf(problem, pack(problem, {.pairChecks = 0})))
        << seed;
    EXPECT_EQ(pack(problem), pack(problem)) << seed;
  }
}

TEST(Pack, ByTimeItemsNeverOverlap) {
  double sum = 0;
  constexpr int trials = 200;
  for (int seed = 0; seed < trials; ++seed) {
    PackProblem problem = makeRandom(seed, seed % 20 ? 60 : 1000, 40, 12);
    PackSolution offsets = packByTime(problem);
    ASSERT_EQ(verify(problem, offsets), "") << "seed " << seed;
    sum += double(peakOf(problem, offsets)) / lowerBound(problem);
  }
  printf("peak by time / live-range bound: mean %.3f\n", sum / trials);
  EXPECT_LT(sum / trials, 1.3);
}

TEST(Pack, LivePairsAreThoseThatOverlap) {
  for (int seed = 0; seed < 50; ++seed) {
    PackProblem problem = makeRandom(seed, 60, 40, 12);
    int64_t pairs = 0;
    for (size_t a = 0; a < problem.items.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        pairs += problem.items[a].first <= problem.items[b].last &&
                 problem.items[b].first <= problem.items[a].last;
    EXPECT_EQ(countLivePairs(problem), pairs) << seed;
  }
}

/// All pairs of these items are live together, 2 · 10^10, too many to list.
TEST(Pack, TwoHundredThousandLiveItemsNeedTheirSum) {
  PackProblem problem;
  for (int64_t i = 0; i < 200'000; ++i)
    problem.items.push_back({64 * (1 + i % 7), i, 400'000 - i % 100});
  EXPECT_EQ(peakOf(problem, pack(problem)), lowerBound(problem));
}
