// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for the prices on usage, one per segment, that maximize the bound. A price is a Lagrange
// multiplier of the limit. A pair of message sweeps gives the bound at the current prices. Then the
// prices move along the usage above the capacities, with momentum (Held, Wolfe and Crowder,
// Validation of subgradient optimization, 1974). The step length is Polyak's, with the cost of the
// best solution as the target.
#pragma once

#include "passes/solve/strategy/bounds/MessagePassing.h"
#include "passes/solve/strategy/problem/Tasks.h"

namespace pcc::solve {

/// Rule for the direction of a step. Few binding segments favor sharp steps, many favor smooth
/// steps.
struct StepStyle {
  bool isSmooth = false; ///< by the expected usage of all options, not by the usage of a solution
  double momentum = 0.9;
};
inline constexpr StepStyle kSharpSteps{false, 0.9};
inline constexpr StepStyle kSmoothSteps{true, 0.6};

class PriceSearch {
public:
  /// `constant` is the cost of every solution besides the costs in the flat problem.
  PriceSearch(const FlatProblem &flat, StepStyle style, double constant);

  /// Continues from these prices with shorter steps, because they are near the best ones.
  void resume(const std::vector<double> &prices);

  /// Continues with only `option` of `node`. Earlier bounds and scores are discarded.
  void fix(int node, int option);

  /// Steps until `entries` more table entries were read, or `stop` returns true. `target` is the
  /// cost of the flat problem's best solution, or an estimate.
  void advance(uint64_t entries, double target, const Stop &stop);

  /// Sweeps some more at the best prices. Sets a bound for each option and returns the overall
  /// bound. `bound()` ignores that result: steps with one pair of sweeps each could not beat it.
  double settle(int sweeps, std::vector<double> &optionBounds);

  double bound() const { return best; }
  const std::vector<double> &prices() const { return bestPrices; }

  /// Returns the best decoded solution: the feasible one with the lowest cost, or else one with
  /// little excess usage.
  const std::vector<int32_t> &decoded() const { return bestOptions; }

  /// Increase of the bound in the last `advance`.
  double progress() const { return best - before; }

  StepStyle style;
  MessagePassing messages;
  double constant;
  uint64_t work = 0; ///< table entries read

private:
  double step(double target);
  void keepDecoded(const std::vector<int32_t> &options);

  const FlatProblem &flat;
  std::vector<double> current, bestPrices, direction;
  std::vector<float> bestMessages; ///< messages at the best bound
  std::vector<int32_t> bestOptions;
  double bestScore;
  double best, before;
  double stepLength = 0.2, targetGap;
  int sinceBetter = 0, steps = 0;
};

} // namespace pcc::solve
