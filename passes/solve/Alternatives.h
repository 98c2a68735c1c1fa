// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the best solution costs if one node must have an option, for each option of it: its
// min-marginals.
//
//   option of b   cheapest solution with it
//   0             a=1, b=0   12
//   1             a=1, b=1   11    the best of all
//
// The reductions are made once, and leave the node alone; one elimination, with the node last,
// answers for all options. Where its tables would be too large each option is searched by itself.
#pragma once

#include "passes/solve/Solve.h"

namespace pcc::solve {

/// `problem` with option `option` of `node` as its only one. Tables of other edges are shared.
StrategyProblem fixOption(const StrategyProblem &problem, int node, int32_t option);

/// What `solution` of `problem` is in fixOption's problem, and back.
StrategySolution toFixed(StrategySolution solution, int node);
StrategySolution fromFixed(StrategySolution solution, int node, int32_t option);

/// For each option of `node` what the best solution with it costs; the solutions are of `problem`,
/// and there are no certificates. `known`, a solution of `problem`, is where searches start; the
/// time limit is that of all together.
std::vector<SolveResult> solveForEachOption(const StrategyProblem &problem, int node,
                                            const StrategySolution &known,
                                            const SolveOptions &options = {});

} // namespace pcc::solve
