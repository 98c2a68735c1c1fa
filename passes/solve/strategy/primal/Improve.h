// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first solution, and the improvement of a solution, in linear time. The improvement is meant for
// good solutions of problems with few options per node, found without prices
// (RECURSIVE_PROGRAMMING).
//
// Each round takes a set of nodes without cycles. Min-sum dynamic programming along their trees
// finds their best options exactly; all other nodes keep their options.
//
//   a – b – d       The first round takes a, b, c: d would close a cycle.
//    \     /        The second round begins with d, then takes a and b: c would close a cycle.
//     – c –
//
// This lets a whole chain change at once, which no change of a single node could start.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include <optional>

namespace pcc::solve {

/// Returns a solution whose cost is not higher than that of the valid `solution`. Ends early after
/// two rounds without improvement. Deterministic. A round that violates the usage limit has no
/// effect.
StrategySolution improve(const StrategyProblem &problem, StrategySolution solution, int rounds = 4);

//===-- Greedy.cpp ----------------------------------------------------------------------------===//

// Immediate solution in linear time, for searches that end before their first solution.

/// Takes for each node the option with the lowest cost next to the earlier nodes. If that exceeds
/// the limit, takes the options with the lowest usage. Returns nothing if neither is valid.
std::optional<StrategySolution> solveGreedily(const StrategyProblem &problem);

} // namespace pcc::solve
