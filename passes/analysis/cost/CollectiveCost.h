// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a collective op on local types from its traffic and its group of ranks.
// runtime/machine/CollectiveCost.h says how traffic is counted.
#pragma once

#include "passes/analysis/reshard/ReshardCostModel.h"

namespace pcc::analysis {

/// Returns the traffic of one member of the group. `op` is a dist op that communicates, on blocks
/// of one rank.
machine::Traffic trafficOf(mlir::Operation *op);

/// Returns the group of `op`, or all ranks of `mesh` if `op` has none. If groups differ, returns
/// the largest.
machine::GroupLayout groupOf(mlir::Operation *op, const dist::Mesh &mesh,
                             const abi::Cluster &cluster);

/// Returns the seconds until all members of the slowest group are done. `cluster` is complete and
/// has a device for each rank of `mesh`. `ops` is one op, or several of one kind in a fused
/// collective.
double secondsOfCollective(llvm::ArrayRef<mlir::Operation *> ops, const dist::Mesh &mesh,
                           const abi::Cluster &cluster);

/// Returns the same for a fused collective of `bytes` (machine::Traffic) of ops like `op`.
double secondsOfCollective(mlir::Operation *op, double bytes, const dist::Mesh &mesh,
                           const abi::Cluster &cluster);

} // namespace pcc::analysis
