// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folded problem with its prices and solutions.
#pragma once

#include "passes/solve/strategy/bounds/WholeBound.h"
#include "passes/solve/strategy/branch/BestSearch.h"
#include "passes/solve/strategy/symmetry/FoldedSearch.h"

namespace pcc::solve {

class FoldedLevel {
public:
  FoldedLevel(SearchContext &context, std::unique_ptr<FoldedProblem> folded);

  /// Continues from the prices and messages of a level with coarser classes.
  void startFrom(const FoldedLevel &coarse);

  /// Runs both step styles in parallel for some steps and keeps the better one.
  void race();

  /// Runs some steps of the prices in parallel with moves. Offers the best solution.
  void round();

  /// Recomputes the messages at the best prices.
  void settle();

  /// Returns the current prices and messages. Each class must have one node.
  WholeDual roundedDual() const;

  /// Lower bound on the cost with these classes, up to floating-point errors.
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
  double guess = 0; ///< estimate of the best cost while no solution is known
  double boundAtStart = -std::numeric_limits<double>::infinity(); ///< bound when the moves started
  uint64_t starts = 0;
};

} // namespace pcc::solve
