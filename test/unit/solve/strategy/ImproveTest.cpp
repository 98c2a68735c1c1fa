// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/primal/Improve.h"

#include "gtest/gtest.h"
#include <random>

using namespace pcc::solve;

namespace {

/// Makes nodes of two options, of which the second costs less; neighbors that differ cost 10.
StrategyProblem makeProblem(int nodes, const std::vector<std::pair<int, int>> &pairs) {
  StrategyProblem problem;
  for (int node = 0; node < nodes; ++node)
    problem.nodes.push_back({0, 1, {3, 1}, {1, 2}});
  for (auto [u, v] : pairs)
    problem.edges.push_back({u, v, {0, 10, 10, 0}});
  return problem;
}

} // namespace

// No single change pays off; all together do.
TEST(Improve, ChangesAChainAtOnce) {
  StrategyProblem problem = makeProblem(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  EXPECT_EQ(improve(problem, {0, 0, 0, 0, 0}), StrategySolution({1, 1, 1, 1, 1}));
}

// A node that one round leaves out is included in the next round.
TEST(Improve, TakesWhatACycleLeavesOut) {
  StrategyProblem problem = makeProblem(3, {{0, 1}, {1, 2}, {0, 2}});
  problem.edges[1].costs = {0, 0, 0, 0};
  problem.edges[2].costs = {0, 0, 0, 0};
  EXPECT_EQ(improve(problem, {0, 0, 0}), StrategySolution({1, 1, 1}));
}

// Parallel edges between two nodes are no cycle; their costs add up.
TEST(Improve, AddsParallelEdges) {
  StrategyProblem problem = makeProblem(2, {{0, 1}, {1, 0}});
  problem.nodes[1].costs = {0, 1};
  problem.edges[0].costs = {0, 1, 0, 0};
  problem.edges[1].costs = {0, 0, 1, 0};
  EXPECT_EQ(improve(problem, {0, 0}), StrategySolution({1, 0}));
}

// A change that exceeds the limit is rejected.
TEST(Improve, KeepsTheLimit) {
  StrategyProblem problem = makeProblem(2, {{0, 1}});
  problem.usageLimit = 3;
  EXPECT_EQ(improve(problem, {0, 0}), StrategySolution({0, 0}));
}

TEST(Improve, IsNeverDearer) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    StrategyProblem problem;
    auto draw = [&](int below) { return static_cast<int>(random() % below); };
    int count = 2 + draw(8);
    StrategySolution solution;
    for (int node = 0; node < count; ++node) {
      StrategyNode &added = problem.nodes.emplace_back();
      for (int option = 1 + draw(3); option >= 0; --option)
        added.costs.push_back(draw(50));
      added.usages.assign(added.size(), 0);
      solution.push_back(draw(static_cast<int>(added.size())));
    }
    for (int edge = 2 * count; edge > 0; --edge) {
      int u = draw(count), v = draw(count);
      if (u == v)
        continue;
      std::vector<int64_t> costs(problem.nodes[u].size() * problem.nodes[v].size());
      for (int64_t &cost : costs)
        cost = draw(50);
      problem.edges.push_back({u, v, costs});
    }
    Verdict before = verify(problem, solution), after = verify(problem, improve(problem, solution));
    ASSERT_TRUE(after.ok()) << after.error;
    EXPECT_LE(after.cost, before.cost);
  }
}
