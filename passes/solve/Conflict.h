// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why nothing fits: a smallest part that already contradicts itself, found by deletion (Chinneck
// and Dravnieks, Locating minimal infeasible constraint sets in linear programs, 1991). What can
// be left out while the rest still contradicts itself goes, large pieces first.
//
//   nodes a, b, c, d; a goes with b=0 only, c with b=1 only
//   without d   nothing fits still: d goes
//   without a   something fits: a stays, and so do b and c
#pragma once

#include "passes/solve/Solve.h"

namespace pcc::solve {

/// Those of [0, count) that are left. `isInfeasible` says of rising numbers whether they contradict
/// each other, as all together do and none do; where it cannot tell, false. Once `stop` says so,
/// what has not been tried stays.
std::vector<int> findConflict(int count,
                              const std::function<bool(const std::vector<int> &)> &isInfeasible,
                              const std::function<bool()> &stop);

/// Whether there is proved to be no solution of `problem`, in about that many seconds.
bool isInfeasible(const StrategyProblem &problem, double seconds);

/// Nodes whose options do not go together.
struct NodeConflict {
  std::vector<int> nodes;
  bool needsLimit = false; ///< they would without the limit
};

/// The conflict of `problem`, for which there is no solution; empty if that cannot be proved of it
/// in the time given.
NodeConflict findNodeConflict(const StrategyProblem &problem, double seconds);

} // namespace pcc::solve
