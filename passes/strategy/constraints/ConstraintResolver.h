// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves constraints and a dataset strategy to shardings on one mesh. Finds the op, parameter or
// input of each constraint, checks that the constraint is legal there, and refines the mesh for all
// constraints.
#pragma once

#include "passes/strategy/constraints/CheckStrategy.h"
#include "passes/strategy/constraints/ShardingConstraints.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

/// Ops and tensors to which one constraint applies, or all entries of a loaded strategy together.
struct ConstraintTargets {
  std::string text; ///< the constraint as messages print it (ConstraintSubject.h)
  bool isRestored = false;
  std::vector<mlir::Operation *> ops;
  std::vector<std::string> parameters, inputs;
};

class ConstraintResolver {
public:
  /// Resolves constraints on the mesh `given`, to whose axes constraints refer by name. Without a
  /// mesh the program has `numRanks` ranks, and constraints cannot name axes.
  ConstraintResolver(mlir::ModuleOp module, std::optional<dist::Mesh> given, int64_t numRanks)
      : module(module), given(std::move(given)), mesh(this->given.value_or(dist::Mesh())),
        numRanks(numRanks) {}

  /// Finds and checks the targets of each constraint, restored ones last. Emits a diagnostic on
  /// failure.
  mlir::LogicalResult match(llvm::ArrayRef<ShardingConstraint> constraints);
  /// Applies the option dataset_strategy; call after match. Emits a diagnostic on failure.
  mlir::LogicalResult feed(llvm::StringRef datasetStrategy);
  /// For a program without a mesh: makes all ranks one axis, cut so that `parts` of them split the
  /// batch.
  void spanBatch(int64_t parts);
  /// Whether no constraint has matched an op or tensor.
  bool isEmpty() const { return ops.empty() && parameters.empty() && inputs.empty(); }
  /// Refines the mesh as finely as the matched constraints require and adds their shardings to
  /// `shardings`. Returns the refined mesh.
  dist::Mesh resolve(SeedShardings &shardings) const;
  /// Lists the targets of each of the matched `constraints`, in their order, with a loaded strategy
  /// last. A target of several constraints is listed for each.
  std::vector<ConstraintTargets> listTargets(llvm::ArrayRef<ShardingConstraint> constraints) const;

private:
  /// Legal strategy of an op.
  struct OpRequest {
    const ShardingConstraint *constraint;
    CheckedStrategy strategy;
    llvm::SmallVector<const ShardingConstraint *, 0> others =
        {}; ///< constraints with the same strategy
  };
  /// Legal cut of a parameter or an input.
  struct TensorRequest {
    const ShardingConstraint *constraint;
    Cuts cuts;
    llvm::SmallVector<const ShardingConstraint *, 0> others = {};
  };
  using TensorRequests = llvm::MapVector<llvm::StringRef, TensorRequest>;

  /// Returns the constraint as the reason of a sharding.
  analysis::Reasons explain(const ShardingConstraint &constraint) const;
  mlir::LogicalResult match(const ShardingConstraint &constraint);
  void tryMatch(const ShardingConstraint &constraint);
  mlir::LogicalResult matchExact(const ShardingConstraint &constraint);
  mlir::LogicalResult matchOps(const ShardingConstraint &constraint);
  void indexOps();
  /// Returns the ops that a constraint applies to, in program order.
  llvm::SmallVector<mlir::Operation *> findOps(const ShardingConstraint &constraint);
  mlir::LogicalResult matchTensors(const ShardingConstraint &constraint);
  mlir::LogicalResult requestOp(const ShardingConstraint &constraint, mlir::Operation *op);
  mlir::LogicalResult requestTensor(const ShardingConstraint &constraint, llvm::StringRef name,
                                    mlir::RankedTensorType type, TensorRequests &requests);

  mlir::ModuleOp module;
  std::optional<dist::Mesh> given;
  dist::Mesh mesh; ///< for checks: the given mesh, or a mesh without axes
  int64_t numRanks;
  llvm::MapVector<mlir::Operation *, OpRequest> ops;
  TensorRequests parameters, inputs;
  FedInputs fed;
  DeviceMatrix batch; ///< device matrix of the axis that spanBatch makes
  /// Ops that constraints may apply to, in program order, and by each of their names. Filled on
  /// first use, as is the next map.
  std::vector<mlir::Operation *> allOps;
  llvm::StringMap<std::vector<mlir::Operation *>> opsByName;
  llvm::StringMap<mlir::Operation *> exactNames;
};

} // namespace pcc::strategy
