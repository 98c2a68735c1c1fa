// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folded problem with its prices and solutions.
#pragma once

#include "passes/solve/BestSearch.h"
#include "passes/solve/FoldedSearch.h"
#include "passes/solve/WholeBound.h"

namespace pcc::solve {

class FoldedLevel {
public:
  FoldedLevel(SearchContext &context, std::unique_ptr<FoldedProblem> folded);

  /// Goes on from the prices and messages of a level with coarser classes.
  void startFrom(const FoldedLevel &coarse);

  /// Which style of steps suits the problem: both take some steps, side by side.
  void race();

  /// Some steps of the prices, and beside them moves of solutions; offers the best one.
  void round();

  /// Brings the messages up to the best prices.
  void settle();

  /// The prices and messages that it has now. It is the level of single nodes.
  WholeDual roundedDual() const;

  /// What nothing with these classes costs less than, as far as floating point figures say.
  double bound() const { return prices->bound() + prices->constant; }

  FoldedPrices foldedPrices() const;

  const FoldedProblem &problem() const { return *folded; }

private:
  bool offer(const std::vector<int32_t> &options);
  double target() const;
  void startMoves();

  SearchContext &context;
  std::unique_ptr<FoldedProblem> folded;
  std::unique_ptr<PriceSearch> prices;
  std::unique_ptr<LocalSearch> moves;
  double guess = 0; ///< of the best cost, while there is none
  double boundAtStart = -std::numeric_limits<double>::infinity(); ///< of the moves
  uint64_t starts = 0;
};

} // namespace pcc::solve
