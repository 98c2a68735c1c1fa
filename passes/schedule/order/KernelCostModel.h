// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution times of a function's kernels on a machine.
#pragma once

#include "dialects/dist/Dist.h"
#include "passes/analysis/cost/KernelShares.h"
#include "passes/analysis/kernels/Kernels.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::schedule {

/// Returns the number of devices to describe: the ranks of the program, or twice as many if the
/// program sends to or receives from another stage.
int64_t countDevices(mlir::ModuleOp module);

/// Cost model of one function's kernels.
class KernelCostModel {
public:
  /// `cluster` must be complete, describe countDevices() devices and outlive this object.
  KernelCostModel(mlir::func::FuncOp function, const abi::Cluster &cluster)
      : cluster(cluster), mesh(dist::getMesh(function)), shares(function) {}

  /// Returns the seconds of a kernel. A computing kernel takes the sum of its ops, each with the
  /// bytes that it still moves (analysis::KernelShares). A fused collective takes the time of one
  /// collective over all its bytes.
  double seconds(const analysis::Kernel &kernel) const;
  /// Returns the seconds that an op adds to a computing kernel.
  double secondsOfOp(mlir::Operation *op) const;

private:
  double secondsOfCommunication(const analysis::Kernel &kernel) const;

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  analysis::KernelShares shares;
};

/// Times of the kernels of several functions. Each is estimated once, however often it is asked.
class KernelTimes {
public:
  /// `cluster` as for KernelCostModel.
  explicit KernelTimes(const abi::Cluster &cluster) : cluster(cluster) {}

  /// Returns the seconds of a kernel of `function`, which must not change from now on, except for
  /// the numbers of its kernels.
  double seconds(mlir::func::FuncOp function, const analysis::Kernel &kernel);

private:
  const abi::Cluster &cluster;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<KernelCostModel>> models; ///< by function
  llvm::DenseMap<const analysis::Kernel *, double> known;
};

} // namespace pcc::schedule
