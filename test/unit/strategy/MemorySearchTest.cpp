// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/memory_model/MemorySearch.h"

#include "gtest/gtest.h"

using pcc::strategy::isNeighbor;

TEST(MemorySearch, NeighborsDifferByOnePrimeFactor) {
  EXPECT_TRUE(isNeighbor({2, 1}, {2, 1}));
  EXPECT_TRUE(isNeighbor({2, 1}, {4, 1})); // splits one side only
  EXPECT_TRUE(isNeighbor({6, 1}, {2, 1}));
  EXPECT_TRUE(isNeighbor({2, 1}, {1, 2})); // splits another factor
  EXPECT_TRUE(isNeighbor({6, 1, 1}, {2, 3, 1}));
  EXPECT_FALSE(isNeighbor({1, 1}, {4, 1}));
  EXPECT_FALSE(isNeighbor({1, 1}, {6, 1}));
  EXPECT_FALSE(isNeighbor({4, 1}, {1, 1}));
  EXPECT_FALSE(isNeighbor({2, 1}, {1, 3}));
  EXPECT_FALSE(isNeighbor({2, 1}, {3, 1}));
  EXPECT_FALSE(isNeighbor({4, 1}, {1, 4}));
  EXPECT_FALSE(isNeighbor({2, 2, 1, 1}, {1, 1, 2, 2}));
}
