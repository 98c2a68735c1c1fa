// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search for a packing near the live-range bound. A packing follows from an order of the items
// and a rule for the gap that each takes; the search looks at orders.
//
//   by falling bytes           the usual best fit; good where few items are large
//   by falling bytes x time    long ones at the bottom, as what a backward pass reads
//   by falling time            nested live ranges lie like a stack
//   by time of birth           as a stack that grows and shrinks
//
// The first is best fit (Pisarchyk and Lee, Efficient memory management for deep neural net
// inference, 2020). If the best of these is not near the bound, items that reach the peak, or are
// live with those, are moved forward in its order. A move stays if the peak does not rise. (Squeaky
// wheel optimization: Joslin and Clements, 1999.)
#pragma once

#include "passes/solve/Pack.h"

namespace pcc::solve {

struct PackEffort {
  /// The search ends when a packing needs no more than this part of the bound above it.
  double gap = 0.02;
  /// How often it may look at a pair of items that are live at once, all in all. It takes some 20
  /// ns.
  int64_t looks = 2'000'000;
};

/// The same problem has the same packing every time.
PackSolution pack(const PackProblem &problem, const PackEffort &effort = {});

} // namespace pcc::solve
