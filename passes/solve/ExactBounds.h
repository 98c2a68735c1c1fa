// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds in whole numbers, from prices and messages that may come from anywhere.
//
// Messages move costs between the tables and the nodes, so that every solution keeps its cost:
//
//   pot(i, a)      = cost(i, a) + price of its use + Σ over edges at i of message(edge, i, a)
//   rest(e, a, b)  = table(e, a, b) − message(e, u, a) − message(e, v, b)  ≥ 0
//
// and no solution that fits pays more for its use than the prices of all capacities. So
//
//   cost of any solution  ≥  Σ over nodes of min over a of pot(i, a)  −  Σ price · capacity
//
// Given are the messages to the later end of each edge; those to the earlier end are the greatest
// that leave no rest negative. A sweep back over the nodes then brings all that is known to each
// node in turn, and reads off a bound for each of its options.
#pragma once

#include "passes/solve/Instance.h"

namespace pcc::solve {

/// Prices and messages as whole numbers.
struct DualSolution {
  int costScale = 0;             ///< messages are in units of 2^-costScale
  int priceScale = 0;            ///< prices are in units of 2^-priceScale; at least costScale
  std::vector<int64_t> prices;   ///< by segment, none negative
  std::vector<int64_t> messages; ///< by edge of the instance, for each option of its later end
};

/// Bounds on the cost of an instance, the core's constant included, in the core's costs.
struct ExactBounds {
  Int128 bound = 0;
  std::vector<Int128> options; ///< laid out like Instance::costs: of solutions with the option
};

/// Rounds what message passing found. `messages` is laid out as in MessagePassing.
DualSolution roundDual(const Instance &instance, const std::vector<double> &prices,
                       const std::vector<float> &messages);

/// Empty, or why `dual` cannot belong to the instance.
std::string check(const Instance &instance, const DualSolution &dual);

/// The bounds that a dual solution that passed `check` proves.
ExactBounds boundsOf(const Core &core, const Instance &instance, const DualSolution &dual);

} // namespace pcc::solve
