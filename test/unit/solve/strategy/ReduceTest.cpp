// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/reduce/Reduce.h"

#include "gtest/gtest.h"

using namespace pcc::solve;

// Each node alone may use 3, both together more than the limit. But the second node must take the
// same option as the first, so the sum is 3 for both options, and the limit cannot bind.
TEST(Reduce, AliasesUseTheirSum) {
  StrategyProblem problem;
  problem.usageLimit = 4;
  problem.nodes = {{0, 1, {1, 2}, {3, 0}}, {0, 1, {1, 2}, {0, 3}}};
  problem.edges = {{0, 1, {0, kForbidden, kForbidden, 0}}};
  Core core(problem);
  EXPECT_TRUE(reduce(core).empty());
  EXPECT_FALSE(core.isContradictory());
}
