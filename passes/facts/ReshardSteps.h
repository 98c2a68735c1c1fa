// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single steps that lead from a sharding towards another.
#pragma once

#include "passes/facts/ReshardPlan.h"

namespace pcc::facts {

/// Where a plan is to lead, and by which ways.
struct Destination {
  Destination(dist::Sharding target, Waypoints waypoints, llvm::ArrayRef<int64_t> shape,
              const dist::Mesh &mesh);

  dist::Sharding target;
  Waypoints waypoints;
  /// The shardings, not partial, to which an exchange of blocks may lead: the target's cuts; with
  /// waypoints all cuts there are, or of a mesh of more than three axes the target's with one axis
  /// more.
  std::vector<dist::Sharding> exchangeGoals;
};

/// All steps from `from` that a plan may take, without prices.
std::vector<ReshardStep> listSteps(const dist::Sharding &from, const Destination &destination,
                                   llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::facts
