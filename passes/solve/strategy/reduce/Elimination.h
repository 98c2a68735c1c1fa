// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact solution of a reduced core by bucket elimination (Dechter, Bucket elimination: a unifying
// framework for reasoning, 1999).
//
// The elimination of a node adds a table over its neighbors. Each row holds the node's best option
// and its cost for one choice of the neighbors. Where the limit can bind, a row is a Pareto front
// of entries in cost and usage per segment. A segment is dropped once no remaining node uses it.
#pragma once

#include "passes/solve/strategy/problem/Tasks.h"
#include "passes/solve/strategy/reduce/Segments.h"

namespace pcc::solve {

struct EliminationResult {
  bool isComplete = false;
  bool isFeasible = false;      ///< only meaningful if complete
  std::vector<int32_t> options; ///< by node of the core
  std::string reason;           ///< if incomplete: states why it stopped
  /// Numbers that were computed: the cost and the usages of each entry of a table, and the usages
  /// of joined entries before dominated ones are dropped.
  uint64_t entries = 0;
};

/// Solves a compact core. Stops beyond `budget` EliminationResult::entries.
EliminationResult eliminateAll(const Core &core, const std::vector<Segment> &segments,
                               uint64_t budget, const Stop &stop);

/// Solves a compact core for each option of the kept node (Core::kept) at once. The kept node is
/// eliminated last, so each row of its table is the best solution with one option. Returns one
/// incomplete result if the tables are too large or time is over.
std::vector<EliminationResult> eliminateForEach(Core core, const std::vector<Segment> &segments,
                                                uint64_t budget, const Stop &stop);

/// Returns an order with small tables, by the greedy min-weight rule. The next node is the one that
/// has, together with its neighbors, the fewest combined choices. Ties go to the lower number; a
/// kept node is last. Sets `entries` to the sum of these choices, which the tables enumerate.
/// Beyond 10^15 of them the order is incomplete.
std::vector<int> eliminationOrder(const Core &core, double &entries);

} // namespace pcc::solve
