// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices on use, one per segment, for which the bound is greatest: Lagrangian relaxation of the
// limit. A pair of message sweeps gives the bound at the prices at hand; then the prices step along
// what is used above the capacities (Held, Wolfe and Crowder, Validation of subgradient
// optimization, 1974; the length is Polyak's, towards the cost of the best solution), with
// momentum.
#pragma once

#include "passes/solve/MessagePassing.h"
#include "passes/solve/Workers.h"

namespace pcc::solve {

/// How the direction of a step is found. Which one is better depends on the problem: few binding
/// segments like the first, many the second.
struct StepStyle {
  bool isSmooth = false; ///< by the expected use of all options, not by the use of a solution
  double momentum = 0.9;
};
inline constexpr StepStyle kSharpSteps{false, 0.9};
inline constexpr StepStyle kSmoothSteps{true, 0.6};

class PriceSearch {
public:
  /// `constant` is what every solution costs beside the instance's figures.
  PriceSearch(const Instance &instance, StepStyle style, double constant);

  /// Starts from these prices, in shorter steps: they are not far from the best.
  void resume(const std::vector<double> &prices);

  /// Goes on with only `option` of `node`: what was found before no longer counts.
  void fix(int node, int option);

  /// Steps until so many more table entries were looked at, or `stop` says so. `target` is the cost
  /// of the best solution of the instance, or a guess.
  void advance(uint64_t entries, double target, const Stop &stop);

  /// Some more sweeps at the best prices, and what they show: the bound, and one for each option.
  /// The steps are not measured by that bound: with one pair of sweeps each they could not beat it.
  double settle(int sweeps, std::vector<double> &optionBounds);

  double bound() const { return best; }
  const std::vector<double> &prices() const { return bestPrices; }

  /// The best solution that was decoded on the way: the cheapest feasible one, or else one that
  /// uses little too much.
  const std::vector<int32_t> &decoded() const { return bestOptions; }

  /// How much the bound rose in the last `advance`.
  double progress() const { return best - before; }

  StepStyle style;
  MessagePassing messages;
  double constant;
  uint64_t work = 0; ///< table entries looked at

private:
  double step(double target);
  void keepDecoded(const std::vector<int32_t> &options);

  const Instance &instance;
  std::vector<double> current, bestPrices, direction;
  std::vector<float> bestMessages; ///< with which `best` was found
  std::vector<int32_t> bestOptions;
  double bestScore;
  double best, before;
  double length = 0.2, reach;
  int sinceBetter = 0, steps = 0;
};

} // namespace pcc::solve
