// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The immediate solution of small chains, with and without a limit.

#include "passes/solve/strategy/primal/Improve.h"

#include "passes/solve/strategy/Solve.h"
#include <gtest/gtest.h>

using namespace pcc::solve;

namespace {

/// Makes a chain of three nodes; two neighbors with different options cost 7.
StrategyProblem makeChain() {
  StrategyProblem problem;
  problem.usageLimit = 100;
  for (int64_t cost : {1, 9, 2})
    problem.nodes.push_back({0, 1, {5, cost}, {10, 60}});
  for (int node : {0, 1})
    problem.edges.push_back({node, node + 1, {0, 7, 7, 0}});
  return problem;
}

TEST(Greedy, EachTakesTheCheapestBesideThoseBefore) {
  StrategyProblem problem = makeChain();
  problem.usageLimit = 180;
  // The second node keeps the option of the first one, although its own other option is cheaper.
  EXPECT_EQ(solveGreedily(problem), (StrategySolution{1, 1, 1}));
  // The same holds if the ends of the edge are exchanged.
  std::swap(problem.edges[0].u, problem.edges[0].v);
  EXPECT_EQ(solveGreedily(problem), (StrategySolution{1, 1, 1}));
}

TEST(Greedy, WhatUsesTooMuchGivesWayToWhatUsesLeast) {
  StrategyProblem problem = makeChain();
  EXPECT_EQ(solveGreedily(problem), (StrategySolution{0, 0, 0}));
  problem.usageLimit = 20;
  EXPECT_EQ(solveGreedily(problem), std::nullopt);
}

TEST(Greedy, ForbiddenOptionsOfLowUsageAreNotTaken) {
  StrategyProblem problem = makeChain();
  problem.nodes[1].costs.push_back(kForbidden);
  problem.nodes[1].usages.push_back(0);
  problem.edges[0].costs = {0, 7, 0, 7, 0, 0};
  problem.edges[1].costs = {0, 7, 7, 0, 0, 0};
  EXPECT_EQ(solveGreedily(problem), (StrategySolution{0, 0, 0}));
}

TEST(Greedy, ASearchWithoutTimeHasASolution) {
  SolveOptions options;
  options.seconds = 1e-9;
  for (SolveResult result :
       {solveBest(makeChain(), options), solveByDynamicProgramming(makeChain(), options)}) {
    EXPECT_TRUE(result.hasSolution());
    EXPECT_EQ(verify(makeChain(), result.solution).cost, result.cost);
  }
}

} // namespace
