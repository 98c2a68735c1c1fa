// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/buckets/BucketProblem.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace pcc::buckets;

static BucketProblem parse(const std::string &text) {
  ParsedFusion parsed = parseProblem(text);
  EXPECT_EQ(parsed.error, "");
  return parsed.problem;
}

static double finishOf(const BucketProblem &problem, const Buckets &buckets) {
  FusionVerdict verdict = verify(problem, buckets);
  EXPECT_EQ(verdict.error, "");
  return verdict.finish;
}

/// Merging buckets greedily ends at 5.8; the best is 5.0.
TEST(Fusion, LooksFurtherThanTheNextGradient) {
  BucketProblem problem = parse(R"(
    algorithm 1 1
    gradient 0   1 a
    gradient 0.9 1 b
    gradient 1.8 1 c
  )");
  EXPECT_EQ(printBuckets(fuseOptimally(problem)), "0 | 1 2");
  EXPECT_DOUBLE_EQ(finishOf(problem, fuseOptimally(problem)), 5.0);
  EXPECT_DOUBLE_EQ(finishOf(problem, {{0, 1, 2}}), 5.8);
  EXPECT_DOUBLE_EQ(verify(problem, fuseOptimally(problem)).exposed, 3.2);
}

/// The remaining backward pass hides messages.
TEST(Fusion, CountsWhatIsExposedFromTheEndOfTheBackwardPass) {
  BucketProblem problem = parse("algorithm 1 1\ncomputed 4\ngradient 0 1\ngradient 1 1");
  EXPECT_DOUBLE_EQ(verify(problem, {{0}, {1}}).finish, 4.0);
  EXPECT_DOUBLE_EQ(verify(problem, {{0}, {1}}).exposed, 0.0);
}

TEST(Fusion, TakesTheFastestAlgorithmOfEachMessage) {
  BucketProblem problem = parse("algorithm 1 3\nalgorithm 5 1\ngradient 0 1\ngradient 0 9");
  EXPECT_DOUBLE_EQ(problem.timeOf(1, 1), 4);
  EXPECT_DOUBLE_EQ(problem.timeOf(9, 1), 14);
}

TEST(Fusion, RefusesWhatAreNoBuckets) {
  BucketProblem problem = parse("algorithm 1 1\nlimit 5\ngradient 0 3 w0\ngradient 1 4");
  EXPECT_EQ(verify(problem, {{0}}).error, "gradient 1 is in no bucket");
  EXPECT_EQ(verify(problem, {{0}, {0, 1}}).error, "'w0' is in two buckets");
  EXPECT_EQ(verify(problem, {{0, 2}, {1}}).error, "expected gradients 0 to 1, got 2");
  EXPECT_EQ(verify(problem, {{0, 1}}).error, "a bucket of 7 bytes, expected at most 5");
  EXPECT_EQ(printBuckets(fuseOptimally(problem)), "0 | 1");
}

TEST(Fusion, ReadsBackWhatItPrints) {
  std::string text = "algorithm 0.25 0.125\nalgorithm 1 0\ncopy 0.5\nlimit 100\ncomputed 3\n"
                     "gradient 0 10 w1\ngradient 1.5 20\ngradient 2 8 head #2 of w\n";
  EXPECT_EQ(printProblem(parse(text)), text);
}

TEST(Fusion, NamesTheLineThatItCannotRead) {
  EXPECT_EQ(parseProblem("gradient 0 1").error, "expected at least one algorithm");
  auto refuses = [](const std::string &line) {
    std::string error = parseProblem("algorithm 1 1\ngradient 1 1\n" + line).error;
    EXPECT_EQ(error.substr(0, 16), "line 3: expected");
    EXPECT_EQ(error.substr(error.size() - line.size() - 6), "got \"" + line + "\"") << error;
  };
  refuses("gradient 0.5 1"); // ready before the gradient above
  refuses("gradient 2");
  refuses("algorithm -1 1");
  refuses("limit x");
  refuses("bucket 1");
}

/// Enumerates all partitions of gradients into buckets, by growth strings (Knuth, TAOCP 4A,
/// 7.2.1.5).
static void forEachPartition(int count, const std::function<void(const Buckets &)> &visit) {
  Buckets buckets;
  std::function<void(int)> place = [&](int gradient) {
    if (gradient == count)
      return visit(buckets);
    for (size_t i = 0; i < buckets.size(); ++i) {
      buckets[i].push_back(gradient);
      place(gradient + 1);
      buckets[i].pop_back();
    }
    buckets.push_back({gradient});
    place(gradient + 1);
    buckets.pop_back();
  };
  place(0);
}

static BucketProblem makeRandom(int seed) {
  std::mt19937 random(seed);
  auto below = [&](int n) { return int(random() % n); };
  BucketProblem problem;
  problem.algorithms = {{below(40) / 8.0, below(16) / 8.0}};
  double ready = 0;
  for (int i = 0, count = 1 + below(9); i < count; ++i)
    problem.gradients.push_back({ready += below(30) / 8.0, 1 + below(8), ""});
  return problem;
}

/// No partition of gradients into buckets, contiguous or not, finishes earlier.
TEST(Fusion, EqualsTryingAllPartitions) {
  int64_t tried = 0;
  for (int seed = 0; seed < 10'000; ++seed) {
    BucketProblem problem = makeRandom(seed);
    double best = std::numeric_limits<double>::infinity();
    forEachPartition(int(problem.gradients.size()), [&](const Buckets &buckets) {
      best = std::min(best, verify(problem, buckets).finish);
      ++tried;
    });
    ASSERT_EQ(finishOf(problem, fuseOptimally(problem)), best) << printProblem(problem);
  }
  EXPECT_GT(tried, 10'000'000);
}

/// With copy costs, limits and several algorithms: the result is the best of contiguous buckets.
TEST(Fusion, EqualsTryingAllCutsWhereMessagesAreNotALine) {
  for (int seed = 0; seed < 10'000; ++seed) {
    BucketProblem problem = makeRandom(seed);
    problem.algorithms.push_back({seed % 7 / 2.0, seed % 5 / 2.0});
    problem.copyPerByte = seed % 3 / 4.0;
    problem.limit = seed % 4 * 6;
    int count = int(problem.gradients.size());
    double best = std::numeric_limits<double>::infinity();
    for (int cuts = 0; cuts < 1 << (count - 1); ++cuts) {
      Buckets buckets = {{0}};
      for (int i = 1; i < count; ++i) {
        if (cuts >> (i - 1) & 1)
          buckets.emplace_back();
        buckets.back().push_back(i);
      }
      if (FusionVerdict verdict = verify(problem, buckets); verdict.ok())
        best = std::min(best, verdict.finish);
    }
    ASSERT_EQ(finishOf(problem, fuseOptimally(problem)), best) << printProblem(problem);
  }
}
