// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/primal/Moves.h"
#include "passes/solve/strategy/reduce/Core.h"
#include "test/unit/solve/strategy/StrategyFixture.h"

#include "gtest/gtest.h"

using namespace pcc::solve;

// A move of all nodes together finds the best solution, also where tables have several dimensions:
// all nodes have edges to all others.
TEST(Block, FindsTheBestOptionsOfAllNodesTogether) {
  constexpr int count = 5;
  constexpr int32_t options = 3;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    StrategyProblem problem;
    for (int node = 0; node < count; ++node) {
      StrategyNode &added = problem.nodes.emplace_back();
      added.end = 1;
      for (int32_t option = 0; option < options; ++option) {
        added.costs.push_back(int64_t(random.below(100)));
        added.usages.push_back(0);
      }
    }
    for (int u = 0; u < count; ++u)
      for (int v = u + 1; v < count; ++v)
        problem.edges.push_back({u, v, test::randomTable(problem, u, v, 100, random)});
    FlatProblem flat(Core(problem), {});
    StrategySolution solution(count, 0);
    State state(flat, solution);
    Block block(flat);
    block.take({0, 1, 2, 3, 4}, /*largest=*/1000, random);
    block.anchor(state);
    std::vector<std::pair<int, int32_t>> changes;
    block.choose(state, std::vector<double>(1000), /*factor=*/0, random, changes);
    for (auto [node, option] : changes)
      solution[node] = option;
    EXPECT_EQ(verify(problem, solution).cost, test::bruteForce(problem)) << seed;
  }
}
