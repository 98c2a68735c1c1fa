// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of a constraint: the best plan with all constraints compared with the best plan without this
// one, on the same mesh.
#pragma once

#include "passes/strategy/search/Search.h"

namespace pcc::strategy {

/// Cost of one constraint, in seconds of a step.
struct ConstraintCost {
  std::string text;      ///< the constraint, as in ConstraintTargets
  bool isKnown = false;  ///< false: the time limit left no time for it
  double seconds = 0;    ///< increase by the constraint, between the plans that were found
  double maxSeconds = 0; ///< upper limit of the increase: against the bound of plans without it
};

/// Returns the cost of each constraint, the most expensive first, unknown costs last. `outcome` has
/// a plan. `options` are the options of its search, except that `seconds` limits the time for all
/// constraints together.
std::vector<ConstraintCost> estimateConstraintCosts(const SearchOutcome &outcome,
                                                    const SearchOptions &options);

/// Explains why no plan fits: the values that need the memory and the constraints that conflict.
struct PlanConflict {
  bool needsConstraints = false; ///< whether a plan fits, or may fit, without constraints
  /// Indices of a smallest set of conflicting constraints; of all constraints if time ran out.
  std::vector<int> constraints;
};

/// Explains an `outcome` without a plan. `options` are the options of its search; `seconds` limits
/// the time of the explanation.
PlanConflict findPlanConflict(const SearchOutcome &outcome, const SearchOptions &options);

/// Returns, for example, `at "matmul3" at least 12 bytes are needed, expected at most 8; most by
/// parameter w (8 bytes)`. Describes the point where the sum of every node's minimum is largest. If
/// this sum fits, says that no choice of all nodes together does.
std::string describeShortage(const SearchProblem &problem);

} // namespace pcc::strategy
