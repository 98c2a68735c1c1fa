// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontiers of random points and fronts of random estimates, beside their definitions.
#include "compiler/search/PlanSearch.h"

#include <gtest/gtest.h>
#include <random>

namespace pcc::search {
namespace {

FrontierPoint makePoint(int64_t devices, int64_t bytes, double seconds) {
  FrontierPoint point{devices, {}};
  point.candidate.peakBytes = bytes;
  point.candidate.seconds = seconds;
  return point;
}

bool isEqual(const FrontierPoint &a, const FrontierPoint &b) {
  return a.devices == b.devices && a.candidate.peakBytes == b.candidate.peakBytes &&
         a.candidate.seconds == b.candidate.seconds;
}

TEST(Frontier, HasWhatNoOtherPointDominates) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> number(1, 6), size(0, 40);
  for (int round = 0; round < 500; ++round) {
    std::vector<FrontierPoint> all;
    for (int i = size(random); i > 0; --i)
      all.push_back(makePoint(number(random), number(random), number(random)));
    std::vector<FrontierPoint> kept = all;
    keepFrontier(kept);
    for (const FrontierPoint &point : all) {
      bool isDominated =
          llvm::any_of(all, [&](const FrontierPoint &other) { return other.dominates(point); });
      int64_t copies =
          llvm::count_if(kept, [&](const FrontierPoint &other) { return isEqual(other, point); });
      EXPECT_EQ(copies, isDominated ? 0 : 1);
    }
    EXPECT_TRUE(llvm::is_sorted(kept, [](const FrontierPoint &a, const FrontierPoint &b) {
      return std::pair(a.devices, a.candidate.seconds) < std::pair(b.devices, b.candidate.seconds);
    }));
  }
}

TEST(Frontier, AnEqualPointDominatesNot) {
  EXPECT_FALSE(makePoint(2, 3, 4).dominates(makePoint(2, 3, 4)));
  EXPECT_TRUE(makePoint(2, 3, 4).dominates(makePoint(2, 3, 5)));
  EXPECT_TRUE(makePoint(1, 3, 4).dominates(makePoint(2, 3, 4)));
  EXPECT_FALSE(makePoint(1, 4, 4).dominates(makePoint(2, 3, 4)));
}

/// An estimate's front is 1 more than the greatest front of those that need as little of both.
TEST(Fronts, FollowFromTheFrontsOfWhatIsBetter) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> number(1, 9), size(0, 30);
  for (int round = 0; round < 500; ++round) {
    std::vector<plan::FittedEstimate> all(size_t(size(random)));
    for (plan::FittedEstimate &estimate : all)
      estimate = {/*excess=*/0, double(number(random)), double(number(random))};
    std::vector<int64_t> ranks = plan::rankFronts(all);
    ASSERT_EQ(ranks.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      int64_t expected = 0;
      for (size_t j = 0; j < all.size(); ++j) {
        auto [a, b] = std::pair(all[j], all[i]);
        bool isSame = a.seconds == b.seconds && a.bytes == b.bytes;
        bool isBetter = isSame ? j < i : a.seconds <= b.seconds && a.bytes <= b.bytes;
        if (isBetter)
          expected = std::max(expected, ranks[j] + 1);
      }
      EXPECT_EQ(ranks[i], expected);
    }
  }
}

} // namespace
} // namespace pcc::search
