// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why no plan fits: what needs the memory, and which pins are to blame.
#pragma once

#include "passes/strategy/Search.h"

namespace pcc::strategy {

struct PlanConflict {
  bool needsPins = false; ///< without pins a plan fits, or may fit
  /// Numbers of a smallest set of pins with which none fits; of all where time was short.
  std::vector<int> pins;
};

/// Of an `outcome` without a plan. `options` are those of its search; their seconds are for this.
PlanConflict findPlanConflict(const SearchOutcome &outcome, const SearchOptions &options);

/// `at "matmul3" at least 12 bytes are needed, expected at most 8; most by parameter w (8 bytes)`:
/// where the least that every node can hold comes to most; or, where that would fit, that no choice
/// of all nodes together does.
std::string describeShortage(const SearchProblem &problem);

} // namespace pcc::strategy
