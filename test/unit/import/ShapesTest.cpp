// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/Shapes.h"
#include "dialects/graph/Graph.h"

#include <gtest/gtest.h>

namespace pcc::import {
namespace {

TEST(Shapes, Broadcast) {
  EXPECT_EQ(*commonShape({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(*commonShape({}, {4}), (Shape{4}));
  EXPECT_FALSE(commonShape({2, 3}, {2, 4}));
}

TEST(Shapes, ProductsThatOverflow) {
  EXPECT_TRUE(isAddressable({}));
  EXPECT_TRUE(isAddressable({graph::maxElements}));
  EXPECT_FALSE(isAddressable({graph::maxElements, 2}));
  EXPECT_FALSE(isAddressable({int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_FALSE(isAddressable({-1}));
}

TEST(Shapes, SumsOfPieces) {
  EXPECT_EQ(sumSizes({}), 0);
  EXPECT_EQ(sumSizes(Shape(30, 64)), 1920); // their product overflows
  EXPECT_EQ(sumSizes({2, -1}), std::nullopt);
  EXPECT_EQ(sumSizes({INT64_MAX, 1}), std::nullopt);
}

TEST(Shapes, Matrices) {
  EXPECT_TRUE(swapsLastTwo({0, 2, 1}));
  EXPECT_FALSE(swapsLastTwo({1, 0, 2}));
  EXPECT_FALSE(swapsLastTwo({0}));
  EXPECT_EQ(matrixSizes({5, 2, 3}, true), std::pair(int64_t(3), int64_t(2)));
  EXPECT_EQ(formatShape({2, 3}), "[2, 3]");
}

} // namespace
} // namespace pcc::import
