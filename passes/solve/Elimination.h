// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact solution of a reduced core by bucket elimination (Dechter, Bucket elimination: a unifying
// framework for reasoning, 1999).
//
// A node goes: for each choice of its neighbours, its best option and what that costs become a row
// of a new table over the neighbours. Where the limit can bind, a row is a front of entries, none
// of which costs and uses at least as much as another one; use counts per segment, and a segment is
// forgotten once no node that is left uses anything in it.
#pragma once

#include "passes/solve/Segments.h"
#include <functional>

namespace pcc::solve {

struct EliminationResult {
  bool isComplete = false; ///< else `reason` says what was too large
  bool isFeasible = false;
  std::vector<int32_t> options; ///< of the core's nodes
  std::string reason;
  uint64_t entries = 0; ///< made
};

/// Solves a compact core, with at most `budget` figures in its tables.
EliminationResult eliminateAll(const Core &core, const std::vector<Segment> &segments,
                               uint64_t budget, const std::function<bool()> &stop);

/// The same for each option of the kept node of a compact core, in one go: it goes last, and each
/// row of its table is the best that goes with one option. One result if the tables are too large.
std::vector<EliminationResult> eliminateForEach(Core core, const std::vector<Segment> &segments,
                                                uint64_t budget, const std::function<bool()> &stop);

/// An order with small tables: always the node whose neighbours' choices are fewest, earlier ones
/// first among equals; a kept node last. `figures` gets the sum of the tables' rows.
std::vector<int> eliminationOrder(const Core &core, double &figures);

} // namespace pcc::solve
