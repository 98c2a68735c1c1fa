// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns the offsets of a slice.
std::vector<int64_t> offsetsOf(const SliceLayout &layout, const std::vector<int64_t> &local,
                               int64_t rank) {
  Expected<PlacedSlice> slice = placeSlice(layout, local, rank);
  return slice ? slice->box.offsets : std::vector<int64_t>{-1};
}

TEST(SliceLayout, TheTensorMapCountsFromTheRight) {
  SliceLayout layout{{2, 4}, {0, 1}};
  EXPECT_EQ(placeSlice(layout, {3, 5}, 0)->wholeShape, (std::vector<int64_t>{12, 10}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 1), (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 4), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 7), (std::vector<int64_t>{9, 5}));
}

TEST(SliceLayout, RanksBesideASplitHoldTheSame) {
  SliceLayout layout{{2, 4}, {-1, 1}};
  EXPECT_EQ(placeSlice(layout, {3, 5}, 0)->wholeShape, (std::vector<int64_t>{3, 10}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 3), offsetsOf(layout, {3, 5}, 0));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 5), (std::vector<int64_t>{0, 5}));
}

// MindSpore's rule: the ranks of one slice are next to each other, and the optimizer splits
// dimension 0 over groups of them.
TEST(SliceLayout, AShardedOptimizerSplitsDimension0) {
  SliceLayout layout{{4, 2}, {0, -1}, /*shardStep=*/2, /*shards=*/4};
  EXPECT_EQ(placeSlice(layout, {3, 5}, 0)->wholeShape, (std::vector<int64_t>{24, 5}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 1), (std::vector<int64_t>{12, 0}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 2), (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 7), (std::vector<int64_t>{21, 0}));
  layout.shards = 2;
  EXPECT_EQ(placeSlice(layout, {3, 5}, 0)->wholeShape, (std::vector<int64_t>{12, 5}));
  EXPECT_EQ(offsetsOf(layout, {3, 5}, 4), (std::vector<int64_t>{0, 0}));
}

TEST(SliceLayout, WhatDoesNotFitIsAnError) {
  EXPECT_EQ(placeSlice({{2}, {0}}, {3, 5}, 0).status().message(),
            "expected a tensor of 1 dimensions, as its strategy has, got 2");
  EXPECT_EQ(placeSlice({{4, 2}, {1}, 2, 4}, {3}, 0).status().message(),
            "expected a sharded optimizer with a step of 4 ranks, got 2");
}

} // namespace
} // namespace pcc::test
