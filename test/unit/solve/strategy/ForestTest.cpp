// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/primal/Moves.h"
#include "passes/solve/strategy/reduce/Core.h"

#include "gtest/gtest.h"

using namespace pcc::solve;

// In a chain, every node joins, whichever forest was grown before. One move changes all nodes.
TEST(Forest, GrowsOverAChainAfterOtherForests) {
  constexpr int count = 5;
  StrategyProblem problem;
  for (int node = 0; node < count; ++node)
    problem.nodes.push_back({0, 1, {3, 1}, {0, 0}});
  for (int node = 0; node + 1 < count; ++node)
    problem.edges.push_back({node, node + 1, {0, 10, 10, 0}});
  FlatProblem flat(Core(problem), {});
  State state(flat, std::vector<int32_t>(count, 0));
  Forest forest(flat);
  Random random(1);
  for (auto [root, size] : {std::pair(2, 1), {4, 2}, {0, count}}) {
    forest.grow(root, size, random);
    forest.anchor(state);
  }
  std::vector<std::pair<int, int32_t>> changes;
  forest.choose(state, /*factor=*/0, random, changes);
  EXPECT_EQ(changes.size(), size_t(count));
}
