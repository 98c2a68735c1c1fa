// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshard plans of one program, each searched once: by elements, or by seconds on a machine.
#pragma once

#include "passes/facts/MachinePrice.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::facts {

class ReshardPlanner {
public:
  /// `cluster` is complete, has a device for each rank of `mesh` and outlives this; null: the
  /// fewest elements at the busiest rank, ties by the number of steps.
  explicit ReshardPlanner(dist::Mesh mesh, const abi::Cluster *cluster = nullptr)
      : mesh(std::move(mesh)), cluster(cluster) {}

  const dist::Mesh &getMesh() const { return mesh; }

  /// The plan for a tensor of `shape` with elements of `elementBytes`; as planReshard demands.
  /// Valid as long as this.
  const ReshardPlan &plan(const dist::Sharding &from, const dist::Sharding &to,
                          llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

private:
  dist::Mesh mesh;
  const abi::Cluster *cluster;
  llvm::StringMap<ReshardPlan> plans; ///< by everything that a plan depends on
};

} // namespace pcc::facts
