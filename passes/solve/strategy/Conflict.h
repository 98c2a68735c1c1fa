// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explanation of infeasibility: a minimal infeasible part, found by deletion (Chinneck and
// Dravnieks, Locating minimal infeasible constraint sets in linear programs, 1991). A piece is
// deleted if the rest is still infeasible. Large pieces are tried first.
//
//   nodes a, b, c, d; a requires b=0, c requires b=1
//   without d   still infeasible: d is deleted
//   without a   feasible: a stays, and so do b and c
#pragma once

#include "passes/solve/strategy/Solve.h"

namespace pcc::solve {

/// Returns the remaining subset of [0, count). `isInfeasible` gets ascending numbers and returns
/// whether they conflict, or false if it cannot tell. The full set conflicts; the empty set does
/// not. Once `stop` returns true, all untested numbers stay.
std::vector<int> findConflict(int count,
                              const std::function<bool(const std::vector<int> &)> &isInfeasible,
                              const std::function<bool()> &stop);

/// Whether `problem` is proved to have no solution, within about `seconds`.
bool isInfeasible(const StrategyProblem &problem, double seconds);

/// A set of nodes whose options conflict.
struct NodeConflict {
  std::vector<int> nodes;
  bool needsLimit = false; ///< the conflict disappears without the limit
};

/// Returns the conflict of an infeasible `problem`. Empty if infeasibility cannot be proved in
/// time.
NodeConflict findNodeConflict(const StrategyProblem &problem, double seconds);

} // namespace pcc::solve
