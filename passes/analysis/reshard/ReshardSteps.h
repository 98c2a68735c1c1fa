// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the single steps that lead from a sharding towards another.
#pragma once

#include "passes/analysis/reshard/ReshardPlan.h"

namespace pcc::analysis {

/// Goal of a plan, and the shardings through which the plan may go.
struct Destination {
  Destination(dist::Sharding target, Waypoints waypoints, llvm::ArrayRef<int64_t> shape,
              const dist::Mesh &mesh);

  dist::Sharding target;
  Waypoints waypoints;
  /// Shardings, not partial, to which an exchange of blocks may lead. Without waypoints these are
  /// the target's cuts. With waypoints they are all cuts, or on a mesh of more than three axes the
  /// target's cuts with one axis more.
  std::vector<dist::Sharding> exchangeGoals;
};

/// Lists all steps from `from` that a plan may take, without costs.
std::vector<ReshardStep> listSteps(const dist::Sharding &from, const Destination &destination,
                                   llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

} // namespace pcc::analysis
