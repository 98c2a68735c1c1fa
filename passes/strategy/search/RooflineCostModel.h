// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model `roofline` of a search: seconds, on a described machine, of a split op and of a
// reshard between two nodes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/analysis/reshard/ReshardTable.h"
#include "passes/strategy/propagate/OpSharding.h"

namespace pcc::strategy {

/// Builds the ops that one rank would run for a split op, without the surrounding program. They are
/// the ops of its local form, or the same op on local shapes. Partition builds the same ops by the
/// same interface, so the cost computed here is the cost of the ops that will run.
class LocalProgram {
public:
  /// Creates an empty module on `mesh`, in the context of the ops that will be passed to build().
  LocalProgram(mlir::MLIRContext *context, const dist::Mesh &mesh);

  /// Returns the local form of `op` split as `sharding`, as a function of the blocks of the op's
  /// operands. Returns null if the same op on local shapes suffices. Valid until the next call.
  mlir::func::FuncOp build(mlir::Operation *op, const OpSharding &sharding);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  dist::Mesh mesh;
};

/// Collective of the local form of a split op. Reshards between ops have other collectives.
struct OwnCollective {
  std::string text; ///< for example `all_reduce over dp, tp`
  double seconds = 0;
};

class RooflineCostModel {
public:
  /// Creates the model of `mesh` on `cluster`. The cluster must be complete, have a device for each
  /// rank of `mesh` and outlive this object.
  RooflineCostModel(mlir::MLIRContext *context, const dist::Mesh &mesh, const abi::Cluster &cluster)
      : cluster(cluster), mesh(mesh), tables(this->mesh, cluster), planCache(mesh, &cluster),
        local(context, mesh) {}

  const dist::Mesh &getMesh() const { return mesh; }
  const abi::Cluster &getCluster() const { return cluster; }
  /// Returns the share of `op` in its kernel.
  const analysis::KernelShare &getShare(mlir::Operation *op);

  /// Returns the seconds that a rank takes for `op` split in each of `opShardings`. This is the
  /// time of its local form with its collectives, or of its `share` of a kernel.
  std::vector<double> costOfOp(mlir::Operation *op, const analysis::KernelShare &share,
                               llvm::ArrayRef<OpSharding> opShardings);
  /// Lists the collectives in the local form of the split `op`.
  std::vector<OwnCollective> listCollectives(mlir::Operation *op, const OpSharding &opSharding);
  /// Returns the seconds to reshard a tensor from each of `from` to each of `to`, row-major.
  std::vector<double> costOfUses(mlir::RankedTensorType type,
                                 llvm::ArrayRef<const dist::Sharding *> from,
                                 llvm::ArrayRef<const dist::Sharding *> to);
  /// Returns the reshard plan between two shardings, as optimized for the machine.
  const analysis::ReshardPlan &planUse(mlir::RankedTensorType type, const dist::Sharding &from,
                                       const dist::Sharding &to);

private:
  double costOfLocalForm(mlir::func::FuncOp function) const;

  const abi::Cluster &cluster;
  dist::Mesh mesh;
  analysis::ReshardTables tables;
  analysis::ReshardPlanCache planCache; ///< for meshes of more axes than tables support
  LocalProgram local;
  llvm::DenseMap<mlir::Operation *, analysis::KernelShares> shares; ///< by function
};

} // namespace pcc::strategy
