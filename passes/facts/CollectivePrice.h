// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a collective op on local types: what it moves (runtime/machine/CollectivePrice.h says
// how that is counted), between which ranks.
#pragma once

#include "passes/facts/MachinePrice.h"

namespace pcc::facts {

/// What a member moves. `op` is a dist op that communicates, on blocks of one rank.
machine::Traffic trafficOf(mlir::Operation *op);

/// The group of `op`; of one without, all ranks of `mesh`. The largest, where groups differ.
machine::Group groupOf(mlir::Operation *op, const dist::Mesh &mesh, const abi::Cluster &cluster);

/// Seconds until all members of the slowest group are done. `cluster` is complete and has a device
/// for each rank of `mesh`. The ops are one, or several alike that go in one message.
double secondsOfCollective(llvm::ArrayRef<mlir::Operation *> ops, const dist::Mesh &mesh,
                           const abi::Cluster &cluster);

/// The same of a message of so many bytes (machine::Traffic) of ops that are as `op`.
double secondsOfCollective(mlir::Operation *op, double bytes, const dist::Mesh &mesh,
                           const abi::Cluster &cluster);

} // namespace pcc::facts
