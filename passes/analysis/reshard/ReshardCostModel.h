// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs a reshard step in seconds on a described machine. ReshardPlan.h costs it in elements.
#pragma once

#include "passes/analysis/reshard/ReshardPlan.h"
#include "runtime/machine/CollectiveCost.h"

namespace pcc::analysis {

/// Estimates the cost of steps on tensors of `elementBytes` per element. `cluster` is complete and
/// has a device for each rank of `mesh`; both outlive this.
class ReshardCostModel {
public:
  ReshardCostModel(const abi::Cluster &cluster, const dist::Mesh &mesh, int64_t elementBytes)
      : cluster(cluster), mesh(mesh), elementBytes(elementBytes) {}

  /// Returns seconds. A collective uses its cheapest algorithm. A local step moves the block
  /// through memory without a launch, because it is fused with its neighbors. For a tensor of
  /// another size, `scale` multiplies the number of elements.
  double operator()(const ReshardStep &step, double scale = 1) const {
    return explain(step, scale).seconds;
  }

  /// Returns the same cost with the algorithm.
  machine::CollectiveCost explain(const ReshardStep &step, double scale = 1) const;

private:
  const abi::Cluster &cluster;
  const dist::Mesh &mesh;
  int64_t elementBytes;
};

/// Returns the seconds of simultaneous transfers from one pipeline stage to the next. Each of
/// `ranks` ranks sends `bytes` to the rank at the same position among the next `ranks` ranks.
double secondsOfTransfer(double bytes, int64_t ranks, const abi::Cluster &cluster);

/// Returns the position of the groups over `axes` of `mesh` on `cluster`.
machine::GroupLayout makeGroup(llvm::ArrayRef<std::string> axes, const dist::Mesh &mesh,
                               const abi::Cluster &cluster);

} // namespace pcc::analysis
