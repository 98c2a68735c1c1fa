// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of a function take on a machine.
#pragma once

#include "dialects/dist/Dist.h"
#include "passes/facts/KernelShares.h"
#include "passes/facts/Kernels.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::schedule {

/// The ranks of a program, and where it hands on to another stage as many again.
int64_t countDevices(mlir::ModuleOp module);

/// The prices of one function's kernels.
class KernelSeconds {
public:
  /// `cluster` is complete, has a device for each rank and outlives this.
  KernelSeconds(mlir::func::FuncOp function, const abi::Cluster &cluster)
      : cluster(cluster), mesh(dist::getMesh(function)), shares(function) {}

  /// A kernel takes what its ops take with what they still have to move (facts::KernelShares), a
  /// message of several collectives what one over all their bytes does.
  double of(const facts::Kernel &kernel) const;
  /// What an op adds to a kernel that computes.
  double ofPart(mlir::Operation *op) const;

private:
  double ofMessage(const facts::Kernel &kernel) const;

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  facts::KernelShares shares;
};

} // namespace pcc::schedule
