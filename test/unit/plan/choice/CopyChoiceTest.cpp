// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/CompiledChoices.h"

#include <gtest/gtest.h>

using namespace pcc::plan;

/// Returns candidates given the seconds of 1, 2, 4, … copies; negative: there is no such program.
static llvm::SmallVector<CopyCandidate> estimate(std::vector<double> seconds) {
  size_t next = 0;
  return estimateCopyCosts([&](int64_t copies) {
    EXPECT_EQ(copies, int64_t(1) << next);
    double time = seconds.at(next++);
    return CopyCandidate{copies, time, /*peakBytes=*/100 + copies, time < 0 ? "divide" : ""};
  });
}

TEST(CopyChoice, StopsWhenTwoInARowAreNotFaster) {
  auto candidates = estimate({5, 3, 3, 4, 1});
  ASSERT_EQ(candidates.size(), 4u);
  EXPECT_EQ(chooseCopies(candidates, 1'000).copies, 2);
}

TEST(CopyChoice, ContinuesBehindOneThatIsSlower) {
  EXPECT_EQ(chooseCopies(estimate({5, 6, 3, 4, 5}), 1'000).copies, 4);
}

TEST(CopyChoice, StopsWhereTheBatchCannotBeCut) {
  auto candidates = estimate({5, 3, -1, 1});
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(chooseCopies(candidates, 1'000).copies, 2);
}

TEST(CopyChoice, TriesNoMoreThanPay) {
  auto candidates = estimate({9, 8, 7, 6, 5, 4, 3});
  EXPECT_EQ(candidates.back().copies, maxCopies);
}

TEST(CopyChoice, TakesTheFastestThatFits) {
  auto candidates = estimate({5, 3, 2, 4, 5});
  EXPECT_EQ(chooseCopies(candidates, 104).copies, 4);
  EXPECT_EQ(chooseCopies(candidates, 103).copies, 2);
  EXPECT_EQ(chooseCopies(candidates, 50).copies, 1); // the candidate with the smallest excess
}

TEST(CopyChoice, KeepsOneCopyWhereNothingIsHidden) {
  EXPECT_EQ(chooseCopies(estimate({5, 6, 7}), 1'000).copies, 1);
  EXPECT_EQ(chooseCopies(estimate({-1}), 1'000).copies, 1);
}
