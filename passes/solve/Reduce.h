// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact reductions: each keeps at least one best solution, and Core::expand finds it again.
//
//   arc consistency   an option without a finite partner in some neighbour goes
//   capacity          an option that alone uses more than is left goes
//   dominance         an option goes if another one never costs or uses more (Goldstein, Efficient
//                     rotamer elimination applied to protein side-chains, 1994)
//   aliases           a node whose option follows from a neighbour's is merged into that neighbour
//   edges             parallel ones are added up; separable ones become costs of their ends
//   low degree        a node that uses nothing and has at most two neighbours becomes an edge
//
// They are made in rounds until nothing changes. Each of them can be stopped between two nodes:
// what is left then is as good a problem, only larger.
#pragma once

#include "passes/solve/Core.h"
#include "passes/solve/Segments.h"
#include "passes/solve/Workers.h"

namespace pcc::solve {

/// Arc consistency, capacity and dominance for the nodes in `dirty`, and for those to which they
/// spread. Returns whether anything changed.
bool removeOptions(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Drops the terms that lie at no time that can bind, and the options that alone do not fit.
bool reduceUse(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Merges each node that is a function of a neighbour into it.
bool mergeAliases(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Adds up parallel edges and drops separable ones.
bool simplifyEdges(Core &core, std::vector<char> &dirty, const Stop &stop);

/// Takes out nodes without use of degree at most two.
bool eliminateLowDegree(Core &core, std::vector<char> &dirty, const Stop &stop);

/// All of them to a fixpoint. Then the core has no terms outside the segments that it returns. Once
/// `stop` says so nothing is to be made of the segments.
std::vector<Segment> reduce(Core &core, const Stop &stop = [] { return false; });

} // namespace pcc::solve
