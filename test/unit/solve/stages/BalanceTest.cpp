// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of small chains, of random ones compared with all cuts and with a dynamic program, and of
// a long chain.

#include "passes/solve/stages/StageProblem.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>

using namespace pcc::stages;

static StageProblem makeExample() {
  StageProblem problem;
  problem.layers = {{1, 4, 1, 1, "embed"},
                    {4, 2, 1, 1, "block 0"},
                    {4, 2, 1, 1, "block 1"},
                    {1, 4, 1, 0, "head"}};
  problem.stages = 2;
  problem.microbatches = {2, 1};
  problem.limit = 12;
  return problem;
}

TEST(Balance, CutsTheExampleInTheMiddle) {
  StageProblem problem = makeExample();
  BalancedStages solution = balance(problem);
  ASSERT_EQ(solution.error, "");
  EXPECT_EQ(solution.cuts, (StageCuts{0, 2}));
  EXPECT_EQ(verify(problem, solution.cuts).slowest, 6);
  EXPECT_EQ(bytesOf(problem, 0, 2, 0), 10);
}

/// Returns the best verdict of all ways to cut.
static std::optional<StageVerdict> tryAll(const StageProblem &problem, StageCuts &cuts) {
  if (int(cuts.size()) == problem.stages) {
    StageVerdict verdict = verify(problem, cuts);
    return verdict.ok() ? std::optional(verdict) : std::nullopt;
  }
  std::optional<StageVerdict> best;
  for (int first = cuts.back() + 1; first < int(problem.layers.size()); ++first) {
    cuts.push_back(first);
    std::optional<StageVerdict> verdict = tryAll(problem, cuts);
    if (verdict && (!best || *verdict < *best))
      best = verdict;
    cuts.pop_back();
  }
  return best;
}

static StageProblem makeRandom(std::mt19937 &random) {
  auto below = [&](int n) { return int(random() % n); };
  StageProblem problem;
  problem.stages = 1 + below(4);
  int layers = 1 + below(9);
  for (int i = 0; i < layers; ++i)
    problem.layers.push_back({double(below(10)), below(10), below(4), double(below(4)), ""});
  for (int i = 0; i < problem.stages; ++i)
    problem.microbatches.push_back(problem.stages - i);
  problem.limit = 5 + below(60);
  return problem;
}

TEST(Balance, EqualsTryingEverything) {
  std::mt19937 random(7);
  int solved = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    StageProblem problem = makeRandom(random);
    StageCuts cuts = {0};
    std::optional<StageVerdict> best = tryAll(problem, cuts);
    BalancedStages solution = balance(problem);
    ASSERT_EQ(solution.error.empty(), best.has_value()) << solution.error;
    (best ? solved : refused)++;
    if (!best)
      continue;
    StageVerdict verdict = verify(problem, solution.cuts);
    ASSERT_EQ(verdict.error, "");
    ASSERT_EQ(verdict.slowest, best->slowest);
    ASSERT_EQ(verdict.handOvers, best->handOvers);
  }
  EXPECT_GT(solved, 3000);
  EXPECT_GT(refused, 1000);
}

/// Returns the best split of the layers into stages, by dynamic programming over (stage, end). The
/// first pass minimizes the slowest stage, the second one the hand-over times.
static StageCuts tryAllEnds(const StageProblem &problem) {
  struct Best {
    double cost = 0;
    int first = -1;
  };
  int layers = int(problem.layers.size());
  std::vector<std::vector<Best>> best;
  double pace = std::numeric_limits<double>::infinity();
  auto fill = [&](auto cost) {
    best.assign(problem.stages, std::vector<Best>(layers + 1));
    for (int stage = 0; stage < problem.stages; ++stage)
      for (int end = stage + 1; end <= layers; ++end)
        for (int first = end - 1; first >= stage; --first) {
          if (bytesOf(problem, first, end, stage) > problem.limit)
            break;
          double time = timeOf(problem, first, end);
          if (time > pace || (stage == 0 ? first > 0 : best[stage - 1][first].first < 0))
            continue;
          double total = cost(stage ? best[stage - 1][first].cost : 0, time, first);
          if (Best &known = best[stage][end]; known.first < 0 || total < known.cost)
            known = {total, first};
        }
  };
  fill([](double before, double time, int) { return std::max(before, time); });
  if (best.back()[layers].first < 0)
    return {};
  pace = best.back()[layers].cost;
  fill([&](double before, double, int first) { return before + problem.handOverBefore(first); });
  StageCuts cuts(problem.stages);
  for (int stage = problem.stages - 1, end = layers; stage >= 0; --stage)
    end = cuts[stage] = best[stage][end].first;
  return cuts;
}

// The search and the dynamic program return the same ones of several best cuts.
TEST(Balance, EqualsTryingAllEnds) {
  std::mt19937 random(11);
  int solved = 0;
  for (int i = 0; i < 10000; ++i) {
    StageProblem problem = makeRandom(random);
    if (i % 2) // layers of a transformer
      for (Layer &layer : problem.layers)
        layer.time = 3, layer.handOver = 1;
    BalancedStages solution = balance(problem);
    ASSERT_EQ(solution.cuts, tryAllEnds(problem)) << "instance " << i;
    solved += solution.error.empty();
  }
  EXPECT_GT(solved, 3000);
}

// Times are rounded to doubles in whatever order they are added. Equal layers give equal stages.
TEST(Balance, EqualLayersGiveEqualStages) {
  StageProblem problem;
  problem.layers.assign(70, {0.1, 1, 1, 0.001, ""});
  problem.stages = 7;
  problem.microbatches.assign(7, 1);
  EXPECT_EQ(balance(problem).cuts, (StageCuts{0, 10, 20, 30, 40, 50, 60}));
}

TEST(Balance, WorkGrowsWithTheChain) {
  StageProblem problem;
  for (int i = 0; i < 100000; ++i)
    problem.layers.push_back({1 + 0.001 * double(i * 7919 % 1000), 3, 1, 0.01, ""});
  problem.stages = 16;
  problem.microbatches.assign(16, 4);
  problem.limit = 100000;
  BalancedStages solution = balance(problem);
  ASSERT_EQ(solution.error, "");
  EXPECT_EQ(verify(problem, solution.cuts).error, "");
  EXPECT_LT(solution.steps, int64_t(60) * 16 * 100000);
}

TEST(Balance, SaysWhatDoesNotFit) {
  StageProblem problem = makeExample();
  problem.stages = 5;
  problem.microbatches = {5, 4, 3, 2, 1};
  EXPECT_EQ(balance(problem).error, "expected at least 5 layers, one for each stage, got 4");

  problem = makeExample();
  problem.layers[2].held = 40;
  EXPECT_EQ(balance(problem).error, "'block 1' alone takes 41 bytes, expected at most 12");

  problem = makeExample();
  problem.limit = 8;
  EXPECT_EQ(balance(problem).error, "the layers before 'block 0' fill stages 0 to 0, and the rest "
                                    "does not fit: expected at most 8 bytes in each");
}
