// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact reductions. Each keeps at least one optimal solution, and Core::expand recovers it.
//
//   arc consistency   removes an option without a finite partner in some neighbor
//   capacity          removes an option that alone exceeds the remaining capacity
//   dominance         removes an option if another one never costs or uses more (Goldstein,
//                     Efficient rotamer elimination applied to protein side-chains, 1994)
//   aliases           merges a node whose option follows from a neighbor's into that neighbor
//   edges             adds up parallel edges; moves separable edges into the costs of their ends
//   low degree        replaces a node without usage and with at most two neighbors by an edge
//
// The reductions run in rounds until nothing changes. Each can be stopped between two nodes: the
// result is then equivalent, only larger.
#pragma once

#include "passes/solve/strategy/problem/Tasks.h"
#include "passes/solve/strategy/reduce/Core.h"
#include "passes/solve/strategy/reduce/Segments.h"

namespace pcc::solve {

/// Applies arc consistency and dominance to the nodes in `dirty`, and to the nodes that this
/// affects. Returns whether anything changed.
bool removeOptions(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Drops terms at times that cannot bind, and options that alone exceed the capacity.
bool reduceUse(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Merges each node that is a function of a neighbor into that neighbor.
bool mergeAliases(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Adds up parallel edges and drops separable ones.
bool simplifyEdges(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Eliminates nodes without usage whose degree is at most two.
bool eliminateLowDegree(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Applies all reductions to a fixpoint. Afterwards the core has no terms outside the returned
/// segments. The segments are not valid once `stop` has returned true.
std::vector<Segment> reduce(Core &core, const Stop &stop = [] { return false; });

// Compaction drops removed nodes and edges, because deep searches copy the core often.

/// Renumbers nodes and edges of a reduced core in the same order. Replaces times by segment
/// numbers: segment s becomes time s, because no other time can bind. Terms of a node with the same
/// interval are added up. Copies share the steps made so far.
void compact(Core &core, std::vector<Segment> &segments);

} // namespace pcc::solve
