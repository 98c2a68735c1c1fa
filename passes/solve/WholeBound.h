// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound of the problem as it was given, without reductions: as in ExactBounds.h, from prices and
// messages that may come from anywhere. Those of a folded problem become ones of the whole problem,
// and one pass over the whole problem says what they prove.
//
// All figures are whole numbers of 2^-costScale below 2^53 of them, so that sums of doubles are
// exact.
#pragma once

#include "passes/solve/FoldedProblem.h"

namespace pcc::solve {

struct WholeDual {
  int costScale = 0;             ///< messages are in units of 2^-costScale
  int priceScale = 0;            ///< prices are in units of 2^-priceScale; at least costScale
  std::vector<int64_t> times;    ///< of the prices, rising
  std::vector<int64_t> prices;   ///< none negative
  std::vector<int64_t> messages; ///< by edge of the folded problem of single nodes, for each option
                                 ///< of its later end
};

/// Rounds what message passing found on the problem whose nodes are all single.
WholeDual roundDual(const FoldedProblem &whole, const std::vector<double> &prices,
                    const std::vector<float> &messages);

/// Empty, or why `dual` cannot belong to a problem.
std::string check(const StrategyProblem &problem, const WholeDual &dual);

/// The bound that a dual proves that passed `check`; 0 where its scale is too fine for the figures.
/// `whole` was made at the dual's times.
Int128 boundOf(const FoldedProblem &whole, const WholeDual &dual);

/// The same, from nothing but the problem.
Int128 boundOf(const StrategyProblem &problem, const WholeDual &dual);

} // namespace pcc::solve
