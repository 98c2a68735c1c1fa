// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solution at once, at linear cost: for searches whose time is over before they have one.
#pragma once

#include "passes/solve/StrategyProblem.h"
#include <optional>

namespace pcc::solve {

/// Node after node takes what is cheapest beside those before it; where that uses too much, the
/// options that use least. Nothing if neither verifies.
std::optional<StrategySolution> solveGreedily(const StrategyProblem &problem);

} // namespace pcc::solve
