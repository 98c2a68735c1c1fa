// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/CompiledChoices.h"

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

// The first guess is right if parts save equal bytes. Otherwise the range is halved at last.
TEST(RecomputeChoice, FewProgramsAreCompiled) {
  Programs equal{std::vector<int64_t>(300, 1)};
  Programs first{std::vector<int64_t>(300)}, last = first;
  first.saves.front() = last.saves.back() = 90;
  for (auto [programs, limit, maxCompiled] :
       {std::tuple(&equal, 1, 13), std::tuple(&first, 50, 30), std::tuple(&last, 50, 30)}) {
    std::vector<double> seconds(programs->saves.size(), 1);
    RecomputeCandidate chosen = chooseRecomputed(
        programs->price({}), seconds, limit,
        [&](llvm::ArrayRef<int64_t> parts) { return programs->price(parts); }, /*leftOut=*/0);
    EXPECT_TRUE(chosen.fits(limit));
    EXPECT_LE(programs->compiled, maxCompiled);
  }
  EXPECT_EQ(equal.choose(1).parts.size(), 99u);
  EXPECT_EQ(first.choose(50).parts, (Parts{0}));
}

// The search ends when further parts cost less than a thousandth of the step.
TEST(RecomputeChoice, NegligiblePartsStay) {
  std::vector<double> seconds(100, 1e-5);
  seconds.back() = 1;
  int compiled = 0;
  auto price = [&](llvm::ArrayRef<int64_t> parts) {
    ++compiled;
    RecomputeCandidate candidate;
    candidate.parts.assign(parts.begin(), parts.end());
    candidate.peakBytes = parts.size() >= 17 ? 10 : 100;
    candidate.seconds = 10;
    for (int64_t part : parts)
      candidate.seconds += seconds[part];
    return candidate;
  };
  RecomputeCandidate chosen = chooseRecomputed(price({}), seconds, 50, price, /*leftOut=*/0);
  EXPECT_TRUE(chosen.fits(50));
  EXPECT_LT(chosen.parts.size(), 100u);
  EXPECT_EQ(compiled, 3);
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
