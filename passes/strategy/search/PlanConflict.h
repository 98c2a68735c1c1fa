// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains why no plan fits: the values that need the memory and the constraints that conflict.
#pragma once

#include "passes/strategy/search/Search.h"

namespace pcc::strategy {

struct PlanConflict {
  bool needsConstraints = false; ///< whether a plan fits, or may fit, without constraints
  /// Indices of a smallest set of conflicting constraints; of all constraints if time ran out.
  std::vector<int> pins;
};

/// Explains an `outcome` without a plan. `options` are the options of its search; `seconds` limits
/// the time of the explanation.
PlanConflict findPlanConflict(const SearchOutcome &outcome, const SearchOptions &options);

/// Returns, for example, `at "matmul3" at least 12 bytes are needed, expected at most 8; most by
/// parameter w (8 bytes)`. Describes the point where the sum of every node's minimum is largest. If
/// this sum fits, says that no choice of all nodes together does.
std::string describeShortage(const SearchProblem &problem);

} // namespace pcc::strategy
