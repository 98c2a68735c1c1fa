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

} // namespace pcc::solve
