// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of small chains, and of random ones compared with all cuts.

#include "passes/solve/stages/StageProblem.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>

using namespace pcc::stages;

static StageProblem makeExample() {
  StageProblem problem;
  problem.layers = {{1, 4, 1, 1, -1, "embed"},
                    {4, 2, 1, 1, -1, "block 0"},
                    {4, 2, 1, 1, -1, "block 1"},
                    {1, 4, 1, 0, -1, "head"}};
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
    problem.layers.push_back({double(below(10)), below(10), below(4), double(below(4)),
                              below(6) ? -1 : i * problem.stages / layers, ""});
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

TEST(Balance, SaysWhatDoesNotFit) {
  StageProblem problem = makeExample();
  problem.stages = 5;
  problem.microbatches = {5, 4, 3, 2, 1};
  EXPECT_EQ(balance(problem).error, "expected at least 5 layers, one for each stage, got 4");

  problem = makeExample();
  problem.layers[1].stage = 1;
  problem.layers[2].stage = 0;
  EXPECT_EQ(balance(problem).error,
            "'block 1' is constrained to stage 0, behind 'block 0' in stage 1");

  problem = makeExample();
  problem.layers[2].held = 40;
  EXPECT_EQ(balance(problem).error, "'block 1' alone takes 41 bytes, expected at most 12");

  problem = makeExample();
  problem.limit = 8;
  EXPECT_EQ(balance(problem).error, "the layers before 'block 0' fill stages 0 to 0, and the rest "
                                    "does not fit: expected at most 8 bytes in each");
}
