// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact integer bounds from arbitrary prices and messages.
//
// Messages move costs between tables and nodes and keep the cost of every solution:
//
//   pot(i, a)      = cost(i, a) + price of its usage + Σ over edges at i of message(edge, i, a)
//   rest(e, a, b)  = table(e, a, b) − message(e, u, a) − message(e, v, b)  ≥ 0
//
// The usage of a feasible solution costs at most the prices of all capacities. Therefore
//
//   cost of any solution  ≥  Σ over nodes of min over a of pot(i, a)  −  Σ price · capacity
//
// The messages to the later end of each edge are given. The messages to the earlier end are the
// greatest that leave no rest negative. A backward sweep over the nodes then collects everything
// known at each node in turn, and reads a bound for each of its options.
#pragma once

#include "passes/solve/strategy/problem/FlatProblem.h"

namespace pcc::solve {

/// Prices and messages as integers.
struct DualSolution {
  int costScale = 0;             ///< messages are in units of 2^-costScale
  int priceScale = 0;            ///< prices are in units of 2^-priceScale; at least costScale
  std::vector<int64_t> prices;   ///< by segment; not negative
  std::vector<int64_t> messages; ///< by edge of the flat problem, for each option of its later end
};

/// Bounds on the cost of a flat problem, including the core's constant, in the core's costs.
struct ExactBounds {
  Int128 bound = 0;
  std::vector<Int128>
      options; ///< bounds of solutions with each option; layout of FlatProblem::costs
};

/// Rounds the result of message passing. `messages` has the layout of MessagePassing.
DualSolution roundDual(const FlatProblem &flat, const std::vector<double> &prices,
                       const std::vector<float> &messages);

/// Returns an empty string, or the reason why `dual` cannot belong to the flat problem.
std::string check(const FlatProblem &flat, const DualSolution &dual);

/// Returns the bounds that `dual` proves. `dual` has passed `check`.
ExactBounds boundsOf(const Core &core, const FlatProblem &flat, const DualSolution &dual);

} // namespace pcc::solve
