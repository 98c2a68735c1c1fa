// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model `roofline` of a search: seconds on a described machine, of an op split in some way
// and of a value on its way from one node to the next.
#pragma once

#include "passes/facts/OpPrice.h"
#include "passes/facts/ReshardPlanner.h"
#include "passes/facts/ReshardTable.h"
#include "passes/strategy/LocalProgram.h"

namespace pcc::strategy {

/// A collective that is part of what a rank runs of an op.
struct OwnCollective {
  std::string text; ///< `all_reduce over dp, tp`
  double seconds = 0;
};

class SearchPrices {
public:
  /// `cluster` is complete, has a device for each rank of `mesh` and outlives this.
  SearchPrices(mlir::MLIRContext *context, const dist::Mesh &mesh, const abi::Cluster &cluster)
      : cluster(cluster), mesh(mesh), tables(this->mesh, cluster), planner(mesh, &cluster),
        local(context, mesh) {}

  const dist::Mesh &getMesh() const { return mesh; }
  const abi::Cluster &getCluster() const { return cluster; }
  /// Of the kernel in which `op` runs.
  const facts::KernelShare &getShare(mlir::Operation *op);

  /// Seconds of what a rank runs of `op` split in each of `ways`: of its local form with its
  /// collectives, or of its `share` of a kernel.
  std::vector<double> priceOp(mlir::Operation *op, const facts::KernelShare &share,
                              llvm::ArrayRef<OpSharding> ways);
  /// The collectives of the local form of `op` split in one way.
  std::vector<OwnCollective> listCollectives(mlir::Operation *op, const OpSharding &way);
  /// Seconds to reshard a tensor from each of `from` to each of `to`, row-major.
  std::vector<double> priceUses(mlir::RankedTensorType type,
                                llvm::ArrayRef<const dist::Sharding *> from,
                                llvm::ArrayRef<const dist::Sharding *> to);
  /// The steps of that, as planned for the machine.
  const facts::ReshardPlan &planUse(mlir::RankedTensorType type, const dist::Sharding &from,
                                    const dist::Sharding &to);

private:
  double priceLocal(mlir::func::FuncOp function) const;

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  facts::ReshardTables tables;
  facts::ReshardPlanner planner; ///< on meshes of more axes than tables have
  LocalProgram local;
  llvm::DenseMap<mlir::Operation *, facts::KernelShares> shares; ///< by function
};

} // namespace pcc::strategy
