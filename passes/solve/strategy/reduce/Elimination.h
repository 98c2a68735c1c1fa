// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact solution of a reduced core by bucket elimination (Dechter, Bucket elimination: a unifying
// framework for reasoning, 1999).
//
// The elimination of a node adds a table over its neighbors. Each row holds the node's best option
// and its cost for one choice of the neighbors. Where the limit can bind, a row is a Pareto front
// of entries in cost and usage per segment. A segment is dropped once no remaining node uses it.
#pragma once

#include "passes/solve/strategy/reduce/Segments.h"
#include <functional>

namespace pcc::solve {

struct EliminationResult {
  bool isComplete = false; ///< otherwise `reason` states what was too large
  bool isFeasible = false;
  std::vector<int32_t> options; ///< by node of the core
  std::string reason;
  uint64_t entries = 0; ///< number of entries made
};

/// Solves a compact core, with at most `budget` entries in its tables.
EliminationResult eliminateAll(const Core &core, const std::vector<Segment> &segments,
                               uint64_t budget, const std::function<bool()> &stop);

/// Solves a compact core for each option of the kept node (Core::kept) at once. The kept node is
/// eliminated last, so each row of its table is the best solution with one option. Returns one
/// result if the tables are too large.
std::vector<EliminationResult> eliminateForEach(Core core, const std::vector<Segment> &segments,
                                                uint64_t budget, const std::function<bool()> &stop);

/// Returns an order with small tables. The next node is the one that has, together with its
/// neighbors, the fewest combined choices. Ties go to the lower number; a kept node is last. Sets
/// `entries` to the sum of these choices, which the tables enumerate. Beyond 10^15 of them the
/// order is incomplete.
std::vector<int> eliminationOrder(const Core &core, double &entries);

} // namespace pcc::solve
