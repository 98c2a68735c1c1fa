// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/RecomputeChoice.h"

#include <gtest/gtest.h>

namespace pcc::plan {
namespace {

/// Programs of 100 bytes. Each recomputed part saves some bytes and takes a second.
struct Programs {
  std::vector<int64_t> saves;
  int compiled = 0;

  RecomputeCandidate price(llvm::ArrayRef<int64_t> parts) {
    ++compiled;
    RecomputeCandidate candidate;
    candidate.parts.assign(parts.begin(), parts.end());
    candidate.peakBytes = 100;
    for (int64_t part : parts)
      candidate.peakBytes -= saves[part];
    candidate.seconds = 10 + double(parts.size());
    return candidate;
  }

  RecomputeCandidate choose(int64_t limit) {
    std::vector<double> seconds(saves.size(), 1);
    return chooseRecomputed(price({}), seconds, limit,
                            [this](llvm::ArrayRef<int64_t> parts) { return price(parts); });
  }
};

using Parts = llvm::SmallVector<int64_t>;

TEST(RecomputeChoice, NothingWhereAllFits) {
  Programs programs{{10, 10}};
  EXPECT_TRUE(programs.choose(100).parts.empty());
  EXPECT_EQ(programs.compiled, 1);
}

TEST(RecomputeChoice, AsFewAsFit) {
  Programs programs{{10, 10, 10, 10, 10, 10, 10}};
  EXPECT_EQ(programs.choose(75).parts, (Parts{0, 1, 2}));
  EXPECT_EQ(programs.choose(70).parts, (Parts{0, 1, 2}));
  EXPECT_EQ(programs.choose(69).parts, (Parts{0, 1, 2, 3}));
}

TEST(RecomputeChoice, WhatIsNotNeededIsLeftOut) {
  Programs programs{{10, 0, 5, 30, 10}};
  EXPECT_EQ(programs.choose(70).parts, (Parts{3}));
}

TEST(RecomputeChoice, WhereNothingFitsTheSmallest) {
  Programs programs{{10, 20}};
  RecomputeCandidate chosen = programs.choose(50);
  EXPECT_EQ(chosen.parts, (Parts{0, 1}));
  EXPECT_FALSE(chosen.fits(50));
  programs.saves = {-10, 5};
  EXPECT_TRUE(programs.choose(50).parts.empty());
}

TEST(RecomputeChoice, ErrorsStay) {
  RecomputeCandidate kept;
  kept.error = "it cannot be compiled";
  RecomputeCandidate chosen = chooseRecomputed(
      kept, {1.0}, 10, [](llvm::ArrayRef<int64_t>) { return RecomputeCandidate(); });
  EXPECT_EQ(chosen.error, "it cannot be compiled");
}

} // namespace
} // namespace pcc::plan
