// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of a reshard step in seconds on a described machine, beside the one by elements
// (ReshardPlan.h).
#pragma once

#include "passes/facts/ReshardPlan.h"
#include "runtime/machine/CollectivePrice.h"

namespace pcc::facts {

/// Prices the steps of tensors whose elements have `elementBytes` each. `cluster` is complete and
/// has a device for each rank of `mesh`; both outlive this.
class MachinePrice {
public:
  MachinePrice(const abi::Cluster &cluster, const dist::Mesh &mesh, int64_t elementBytes)
      : cluster(cluster), mesh(mesh), elementBytes(elementBytes) {}

  /// Seconds: of the cheapest algorithm for a collective; for a local step of moving the block
  /// through memory, without a launch, for it is fused with what stands beside it.
  /// A step of a tensor of another size is priced with `scale` times as many elements.
  double operator()(const ReshardStep &step, double scale = 1) const {
    return explain(step, scale).seconds;
  }

  /// The same, with the algorithm.
  machine::CollectivePrice explain(const ReshardStep &step, double scale = 1) const;

private:
  const abi::Cluster &cluster;
  const dist::Mesh &mesh;
  int64_t elementBytes;
};

/// Seconds of a message of `bytes` from each of `ranks` ranks to the one at the same position among
/// the next as many, all at once: what one pipeline stage hands on to another.
double secondsOfMessage(double bytes, int64_t ranks, const abi::Cluster &cluster);

/// Where the groups over `axes` of `mesh` lie on `cluster`.
machine::Group makeGroup(llvm::ArrayRef<std::string> axes, const dist::Mesh &mesh,
                         const abi::Cluster &cluster);

} // namespace pcc::facts
