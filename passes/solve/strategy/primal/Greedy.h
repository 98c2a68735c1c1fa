// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate solution in linear time, for searches that end before their first solution.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include <optional>

namespace pcc::solve {

/// Takes for each node the option with the lowest cost next to the earlier nodes. If that exceeds
/// the limit, takes the options with the lowest usage. Returns nothing if neither is valid.
std::optional<StrategySolution> solveGreedily(const StrategyProblem &problem);

} // namespace pcc::solve
