// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound of the original problem without reductions. As in Certificate.h, prices and messages may
// be arbitrary. Prices and messages of a folded problem are converted to the original problem. One
// pass over it computes the bound that they prove.
//
// All values are integers in units of 2^-costScale, below 2^53 units. So sums of doubles are exact.
#pragma once

#include "passes/solve/strategy/symmetry/FoldedProblem.h"

namespace pcc::solve {

struct OriginalDual {
  int costScale = 0;           ///< messages are in units of 2^-costScale
  int priceScale = 0;          ///< prices are in units of 2^-priceScale; at least costScale
  std::vector<int64_t> times;  ///< times of the prices, ascending
  std::vector<int64_t> prices; ///< not negative
  /// By edge of the folded problem with single-node classes, for each option of its later end.
  std::vector<int64_t> messages;
};

/// Rounds the result of message passing on `original`, the folded problem with single-node classes.
OriginalDual roundDual(const FoldedProblem &original, const std::vector<double> &prices,
                       const std::vector<float> &messages);

/// Returns an empty string, or the reason why `dual` cannot belong to a problem.
std::string check(const StrategyProblem &problem, const OriginalDual &dual);

/// Returns the bound that `dual` proves; 0 if its scale is too fine for the costs. `dual` has
/// passed `check`. `original` was made with the dual's times.
Int128 boundOf(const FoldedProblem &original, const OriginalDual &dual);

/// Returns the same bound, from nothing but the problem.
Int128 boundOf(const StrategyProblem &problem, const OriginalDual &dual);

} // namespace pcc::solve
