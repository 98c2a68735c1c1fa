// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the algorithms with exhaustive search, and with each other.

#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/problem/ProblemFile.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include "test/unit/solve/strategy/StrategyFixture.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace pcc::solve;
using namespace pcc::solve::test;

/// Returns the number of seeds: all with PCC_TEST_FULL, otherwise a part.
static int seeds() { return std::getenv("PCC_TEST_FULL") ? 10000 : 3000; }

static SolveOptions quickly(int threads = 1) {
  SolveOptions options;
  options.seconds = 2;
  options.threads = threads;
  return options;
}

static void expectOptimal(const StrategyProblem &problem, const SolveResult &result,
                          std::optional<Int128> best) {
  if (!best) {
    EXPECT_EQ(result.status, SolveStatus::Infeasible) << stringify(result.status);
    return;
  }
  ASSERT_TRUE(result.hasSolution()) << stringify(result.status) << ": " << result.reason;
  Verdict verdict = verify(problem, result.solution);
  EXPECT_EQ(verdict.error, "");
  EXPECT_TRUE(verdict.cost == result.cost);
  EXPECT_EQ(toString(result.cost), toString(*best));
  EXPECT_LE(toString(result.bound), toString(*best));
}

// Reductions remove the first node and renumber the others.
TEST(Search, ReasonsNameNodesOfTheProblem) {
  for (const char *name : {"", "left"}) {
    StrategyProblem problem;
    problem.usageLimit = 10;
    for (int node = 0; node < 3; ++node)
      problem.nodes.push_back({0, 1, {1, 2}, {1, 1}, node == 0 ? "alone" : name});
    problem.edges.push_back({1, 2, {kForbidden, kForbidden, kForbidden, kForbidden}});
    for (const SolveResult &result :
         {solveByDynamicProgramming(problem, quickly()), solveBest(problem, quickly())}) {
      EXPECT_EQ(result.status, SolveStatus::Infeasible);
      EXPECT_EQ(result.reason, std::string("no option of ") + (*name ? "'left'" : "node 1") +
                                   " goes with any choice of the other nodes");
    }
  }
}

TEST(Search, DynamicProgrammingEqualsBruteForce) {
  for (int seed = 0; seed < seeds() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StrategyProblem problem = randomProblem(seed);
    expectOptimal(problem, solveByDynamicProgramming(problem, quickly()), bruteForce(problem));
  }
}

TEST(Search, BestEqualsBruteForceAndItsCertificateHolds) {
  int infeasible = 0;
  for (int seed = 0; seed < seeds() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StrategyProblem problem = randomProblem(seed);
    std::optional<Int128> best = bruteForce(problem);
    SolveResult result = solveBest(problem, quickly());
    expectOptimal(problem, result, best);
    infeasible += !best;
    if (!best || testing::Test::HasFailure())
      continue;
    EXPECT_EQ(result.status, SolveStatus::Optimal);
    CheckResult checked = checkCertificate(problem, *result.certificate, result.solution);
    EXPECT_EQ(checked.error, "");
    EXPECT_EQ(toString(checked.bound), toString(*best));
  }
  printf("%d problems, %d of them infeasible\n", seeds(), infeasible);
}

TEST(Search, ChainsTreesAndSeriesParallelGraphs) {
  for (Shape shape : {Shape::Chain, Shape::Tree, Shape::SeriesParallel})
    for (bool isLimited : {false, true}) {
      SCOPED_TRACE(std::to_string(int(shape)) + (isLimited ? " limited" : ""));
      StrategyProblem problem = shapedProblem(shape, 2000, 5, 7);
      // Nodes of trees stay live for two positions as well, so the limit binds only at some
      // positions.
      problem.usageLimit = isLimited ? 17 : 1000;
      SolveOptions options = quickly(2);
      options.seconds = 20;
      SolveResult exact = solveByDynamicProgramming(problem, options);
      ASSERT_EQ(exact.status, SolveStatus::Optimal) << exact.reason;
      SolveResult best = solveBest(problem, options);
      ASSERT_TRUE(best.hasSolution());
      EXPECT_TRUE(best.bound <= exact.cost);
      EXPECT_TRUE(best.cost >= exact.cost);
      EXPECT_LE(double(best.cost - best.bound), 0.01 * double(exact.cost));
      printf("%d %s: %s, bound %s, %.2f s and %.2f s\n", int(shape), isLimited ? "limited" : "free",
             toString(exact.cost).c_str(), toString(best.bound).c_str(), exact.statistics.seconds,
             best.statistics.seconds);
    }
}

TEST(Search, SameSeedAndThreadsSameResult) {
  StrategyProblem problem = shapedProblem(Shape::SeriesParallel, 400, 6, 3);
  problem.usageLimit = 17;
  for (int i = 0; i < 1200; ++i) { // far from a tree
    Random random(i);
    int u = static_cast<int>(random.below(400)), v = static_cast<int>(random.below(400));
    if (u == v)
      continue;
    problem.edges.push_back({u, v, randomTable(problem, u, v, 3000, random)});
  }
  for (int threads : {1, 2}) {
    SolveOptions options;
    options.threads = threads;
    options.seconds = 0.4; // limit of deterministic work; the wall-clock limit is far away
    options.slowdown = 50;
    SolveResult first = solveBest(problem, options), second = solveBest(problem, options);
    ASSERT_EQ(first.status, SolveStatus::Feasible);
    EXPECT_FALSE(first.statistics.isCutOff);
    EXPECT_EQ(first.statistics.work, second.statistics.work);
    EXPECT_EQ(first.solution, second.solution);
    EXPECT_EQ(toString(first.bound), toString(second.bound));
  }
}

// Solutions that cost the cutoff or more are not wanted, but what is returned holds.
TEST(Search, CutoffsKeepBoundsAndBetterSolutions) {
  for (int seed = 0; seed < 300; ++seed) {
    StrategyProblem problem = randomProblem(seed);
    std::optional<Int128> best = bruteForce(problem);
    if (!best)
      continue;
    for (Int128 cutoff : {*best, *best + 1}) {
      SolveOptions options = quickly();
      options.cutoff = cutoff;
      SolveResult result = solveBest(problem, options);
      EXPECT_TRUE(result.bound <= *best) << "seed " << seed;
      if (cutoff > *best)
        expectOptimal(problem, result, best);
    }
  }
}

TEST(Search, EndsInTime) {
  StrategyProblem problem = shapedProblem(Shape::SeriesParallel, 20000, 8, 5);
  problem.usageLimit = 18;
  for (int i = 0; i + 50 < 20000; ++i) {
    Random random(i);
    int other = i + 2 + static_cast<int>(random.below(40));
    problem.edges.push_back({i, other, randomTable(problem, i, other, 3000, random)});
  }
  SolveOptions options;
  options.seconds = 3;
  Stopwatch clock;
  EXPECT_TRUE(solveBest(problem, options).hasSolution());
  // The time is within 1 % on a quiet machine; a search that ignored the clock would take minutes.
  EXPECT_LE(clock.seconds(), 12);
}

TEST(Search, NamesWhyNothingFits) {
  auto problem = parseProblemText("limit 5\nnode a [0,4) 1:3 2:4\nnode b [2,6) 1:3\n");
  ASSERT_TRUE(bool(problem));
  for (auto *solve : {solveByDynamicProgramming, solveBest}) {
    SolveResult result = solve(*problem, quickly());
    EXPECT_EQ(result.status, SolveStatus::Infeasible);
    EXPECT_EQ(result.reason, "at time 2 at least 6 is used, expected at most 5");
  }
  UsagePeak peak = findUsagePeak(*problem);
  EXPECT_EQ(peak.time, 2);
  EXPECT_EQ(peak.largest, (std::vector<int>{0, 1}));
}

TEST(Search, SumsBeyond64Bits) {
  StrategyProblem problem;
  for (int i = 0; i < 40; ++i)
    problem.nodes.push_back({0, 0, {kForbidden - 1, kForbidden - 2}, {0, 0}, {}});
  for (int i = 1; i < 40; ++i)
    problem.edges.push_back({i - 1, i, {5, 7, 7, 900'000'000'000'000'000}});
  SolveResult result = solveBest(problem, quickly());
  ASSERT_TRUE(result.hasSolution());
  Verdict verdict = verify(problem, result.solution);
  EXPECT_TRUE(verdict.ok() && verdict.cost == result.cost);
  EXPECT_TRUE(result.bound <= result.cost);
  EXPECT_LT(double(result.cost - result.bound), 1e-9 * double(result.cost));
  EXPECT_GT(result.cost, Int128(kForbidden) * 39);
}
