// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The min-marginal of each option of a node, and minimal conflicts, compared with exhaustive
// search.

#include "passes/solve/strategy/Conflict.h"
#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/problem/ProblemFile.h"
#include "test/unit/solve/strategy/StrategyFixture.h"
#include <gtest/gtest.h>

using namespace pcc::solve;
using namespace pcc::solve::test;

static void expectMarginals(const StrategyProblem &problem, int node,
                            const std::vector<SolveResult> &results) {
  ASSERT_EQ(results.size(), problem.nodes[node].size());
  for (size_t option = 0; option < results.size(); ++option) {
    SCOPED_TRACE("option " + std::to_string(option));
    std::optional<Int128> best = bruteForce(fixOption(problem, node, int32_t(option)));
    const SolveResult &result = results[option];
    EXPECT_EQ(result.status, best ? SolveStatus::Optimal : SolveStatus::Infeasible);
    if (!best || !result.hasSolution())
      continue;
    EXPECT_EQ(toString(result.cost), toString(*best));
    EXPECT_EQ(result.solution[node], int32_t(option));
    EXPECT_EQ(toString(verify(problem, result.solution).cost), toString(*best));
  }
}

TEST(Alternatives, EqualBruteForce) {
  for (int seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StrategyProblem problem = randomProblem(seed);
    int node = seed % static_cast<int>(problem.nodes.size());
    StrategySolution known(problem.nodes.size(), 0);
    expectMarginals(problem, node, solveForEachOption(problem, node, known));
  }
}

// If sums of costs do not fit into the core, each option is searched separately.
TEST(Alternatives, AreSearchedWhereOneEliminationCannotAnswer) {
  StrategyProblem problem;
  constexpr int64_t large = kForbidden - 1;
  for (int node = 0; node < 3; ++node)
    problem.nodes.push_back({0, 1, {large, large / 2}, {1, 2}});
  problem.edges.push_back({0, 1, {0, 10, 10, 0}});
  problem.edges.push_back({1, 2, {0, 10, 10, 0}});
  problem.usageLimit = 5;
  SolveOptions options;
  options.seconds = 0.5;
  std::vector<SolveResult> results = solveForEachOption(problem, 1, {0, 0, 0}, options);
  for (int option : {0, 1}) {
    ASSERT_TRUE(results[option].hasSolution());
    EXPECT_EQ(results[option].solution[1], option);
    EXPECT_EQ(toString(results[option].cost), toString(*bruteForce(fixOption(problem, 1, option))));
    EXPECT_LE(results[option].bound, results[option].cost);
  }
}

static NodeConflict conflictOf(const char *text) {
  pcc::abi::Expected<StrategyProblem> problem = parseProblemText(text);
  EXPECT_TRUE(problem) << problem.status().message();
  return findNodeConflict(*problem, 5);
}

TEST(Conflict, NamesThoseThatContradictEachOther) {
  NodeConflict conflict =
      conflictOf("node a 0 0\nnode b 0 0\nnode c 0 0\nnode d 0 0\n"
                 "edge a b 0 x / 0 x\nedge b c x x / 0 0\nedge c d 0 1 / 1 0\n");
  EXPECT_EQ(conflict.nodes, std::vector<int>({0, 1, 2}));
  EXPECT_FALSE(conflict.needsLimit);
}

TEST(Conflict, SaysThatTheLimitIsPartOfIt) {
  NodeConflict conflict = conflictOf("limit 5\nnode a [0,2) 0:1 0:4\nnode b [0,2) 0:1 0:4\n"
                                     "node c [0,2) 0:1\nedge a b x 0 / 0 x\n");
  EXPECT_EQ(conflict.nodes, std::vector<int>({0, 1, 2}));
  EXPECT_TRUE(conflict.needsLimit);
}

// No part of the conflict can be left out, and the conflict is indeed infeasible.
TEST(Conflict, IsSmallest) {
  int found = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StrategyProblem problem = randomProblem(seed);
    if (bruteForce(problem))
      continue;
    ++found;
    NodeConflict conflict = findNodeConflict(problem, 5);
    auto contradict = [&](const std::vector<int> &nodes) {
      StrategyProblem part = problem;
      if (!conflict.needsLimit)
        part.usageLimit = std::numeric_limits<int64_t>::max();
      for (size_t node = 0; node < part.nodes.size(); ++node)
        if (std::find(nodes.begin(), nodes.end(), int(node)) == nodes.end()) {
          part.nodes[node] = {0, 0, {0}, {0}};
          std::erase_if(part.edges, [&](const StrategyEdge &edge) {
            return edge.u == int(node) || edge.v == int(node);
          });
        }
      return !bruteForce(part);
    };
    EXPECT_TRUE(contradict(conflict.nodes));
    for (size_t left = 0; left < conflict.nodes.size(); ++left) {
      std::vector<int> rest = conflict.nodes;
      rest.erase(rest.begin() + left);
      EXPECT_FALSE(contradict(rest));
    }
  }
  EXPECT_GT(found, 20);
}
