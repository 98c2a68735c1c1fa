// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms over StrategyProblem. Each is a free function. Every returned solution has passed
// `verify` on the original problem.
//
//   solveByDynamicProgramming   exact; hands over to solveBest if its tables would be too large
//   solveBest                   anytime, with a bound and a certificate; exact on small problems
#pragma once

#include "passes/solve/strategy/problem/SolveOptions.h"

namespace pcc::solve {

/// Solves exactly by bucket elimination (Dechter, Bucket elimination: a unifying framework for
/// reasoning, 1999). Keeps Pareto-optimal pairs of cost and usage where the limit can bind. If the
/// tables exceed the budget or the time, solveBest takes over, and the reason says so.
SolveResult solveByDynamicProgramming(const StrategyProblem &problem,
                                      const SolveOptions &options = {});

/// Solves by reductions, bounds from message passing, decoding, and improvement by exact moves
/// (docs/spec/search.md).
SolveResult solveBest(const StrategyProblem &problem, const SolveOptions &options = {});

//===-- MinMarginals.cpp ----------------------------------------------------------------------===//

// Min-marginals: for each option of one node, the cost of the best solution with that option.
//
//   option of b   cheapest solution with it
//   0             a=1, b=0   12
//   1             a=1, b=1   11    the best of all
//
// The reductions run once and do not remove the node. One elimination, with the node last, then
// gives the results for all options. If its tables or costs would be too large, or it takes half of
// the time, each option gets its own search.

/// Returns `problem` with `option` as the only option of `node`. Tables of other edges are shared.
StrategyProblem fixOption(const StrategyProblem &problem, int node, int32_t option);

/// Convert a solution of `problem` to one of the problem that fixOption returns, and back. It may
/// be infeasible there: the node gets the only option, or `option`.
StrategySolution toFixed(StrategySolution solution, int node);
StrategySolution fromFixed(StrategySolution solution, int node, int32_t option);

/// Returns the best solution for each option of `node`. The solutions are solutions of `problem`;
/// they have no certificates. Searches start from `known`, a solution of `problem`. The time limit
/// covers all options together.
std::vector<SolveResult> solveForEachOption(const StrategyProblem &problem, int node,
                                            const StrategySolution &known,
                                            const SolveOptions &options = {});

} // namespace pcc::solve
