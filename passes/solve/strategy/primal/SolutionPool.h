// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pool of good and distinct solutions. Where two solutions agree there is little to gain. Where
// they differ, a block of just these nodes finds their best combination. Sources: path relinking
// (Glover, Laguna and Marti, Fundamentals of scatter search and path relinking, 2000); the exact
// step (Aggarwal, Orlin and Tai, Optimized crossover for the independent set problem, 1997).
#pragma once

#include "passes/solve/strategy/reduce/State.h"

namespace pcc::solve {

struct PooledSolution {
  std::vector<int32_t> options;
  double cost = 2.0 * double(kHugeCost); ///< this value if infeasible
};

/// Returns the nodes in which two solutions differ.
std::vector<int> differences(const std::vector<int32_t> &a, const std::vector<int32_t> &b);

class SolutionPool {
public:
  /// Adds a solution. Of two nearly equal solutions only the cheaper one stays. A full pool
  /// replaces the nearest of the solutions with higher cost.
  void offer(const State &state);

  /// Maps the solutions to the rebuilt core.
  void project(const Core &core, const FlatProblem &flat);

  std::vector<PooledSolution> list;
};

} // namespace pcc::solve
