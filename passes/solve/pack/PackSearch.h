// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for a packing near the lower bound. An order of the items and a rule for their gaps
// determine a packing. The search tries orders:
//
//   descending bytes           the usual best fit; good if few items are large
//   descending bytes x time    long items at the bottom, such as inputs of a backward pass
//   descending time            nested live ranges lie like a stack
//   ascending start time       a stack that grows and shrinks
//
// The first is best fit (Pisarchyk and Lee, Efficient memory management for deep neural net
// inference, 2020). If no packing is near the bound, items are moved forward in the best order. The
// moved items reach the peak, or are live together with such items. A move is kept if the peak does
// not rise. (Squeaky wheel optimization: Joslin and Clements, 1999.)
#pragma once

#include "passes/solve/pack/PackProblem.h"

namespace pcc::solve {

struct PackEffort {
  /// The search ends when a packing exceeds the lower bound by at most this fraction.
  double gap = 0.02;
  /// Maximum number of checks of pairs of items that are live together. A check takes some 20 ns.
  int64_t pairChecks = 2'000'000;
  /// Number of pairs of items that are live together, above which there is no search and items are
  /// packed by time (packByTime). The search holds a list of all pairs, 8 bytes each.
  int64_t maxPairs = 16 << 20;
};

/// Returns a packing. Deterministic.
PackSolution pack(const PackProblem &problem, const PackEffort &effort = {});

//===-- PackSweep.cpp -------------------------------------------------------------------------===//

// Packing in order of time, as an allocator does at run time. It needs n log n steps for n items,
// where the search compares all pairs of items that are live together.

/// Returns the better of two packings: forward and backward in time, each item in the smallest free
/// range that holds it. Deterministic.
PackSolution packByTime(const PackProblem &problem);

/// Returns the number of pairs of items that are live together.
int64_t countLivePairs(const PackProblem &problem);

} // namespace pcc::solve
