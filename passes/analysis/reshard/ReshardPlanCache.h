// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches the reshard plans of one program. Costs are in elements, or in seconds on a machine.
#pragma once

#include "passes/analysis/reshard/ReshardCostModel.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::analysis {

class ReshardPlanCache {
public:
  /// `cluster` is complete, has a device for each rank of `mesh` and outlives this. Null: a plan
  /// has the fewest elements at the busiest rank; ties are broken by the number of steps.
  explicit ReshardPlanCache(dist::Mesh mesh, const abi::Cluster *cluster = nullptr)
      : mesh(std::move(mesh)), cluster(cluster) {}

  const dist::Mesh &getMesh() const { return mesh; }
  /// Returns the machine; null if costs are in elements.
  const abi::Cluster *getCluster() const { return cluster; }

  /// Returns the plan for a tensor of `shape` with elements of `elementBytes`, under the conditions
  /// of planReshard. Valid as long as this.
  const ReshardPlan &plan(const dist::Sharding &from, const dist::Sharding &to,
                          llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

private:
  dist::Mesh mesh;
  const abi::Cluster *cluster;
  llvm::StringMap<ReshardPlan> plans; ///< by all inputs of a plan
};

} // namespace pcc::analysis
