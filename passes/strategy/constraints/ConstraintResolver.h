// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves constraints and a dataset strategy to shardings on one mesh. Finds the op, parameter or
// input of each constraint, checks that the constraint is legal there, and refines the mesh for all
// constraints.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "passes/strategy/constraints/CheckStrategy.h"
#include "passes/strategy/constraints/GivenStrategy.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include "llvm/ADT/MapVector.h"

namespace pcc::strategy {

//===-- ShardingConstraints.cpp ---------------------------------------------------------------===//

// Constraints on strategies: the module attribute `dist.constraints`.
//
//   dist.constraints = [
//     {op = "/h\\.\\d+/attn/q", in = "[dp, _], [_, tp]", place = "constraints.textproto:3"},
//     {op_name = "matmul_3", in = "((2,1),(1,4))", out = "((8,1))"},
//     {module = "/h\\.0", out = "[dp, _, _]"},
//     {parameter = "wte\\.weight", sharding = "[tp, _]"},
//     {input = "tokens", sharding = "((4,1))"},
//     {op_exact = "forward:matmul#0", in = "[dp, _], [_, tp]", out = "[dp, tp]", restored},
//     {op_exact = "forward:add#0", in = "[_, _], [_, _]", out = "[_, _]", restored,
//      carried = "[_, _] partial(sum: tp), [_, _] partial(sum: tp)"}]
//
// `op`, `module`, `parameter` and `input` are regular expressions that must match a whole name;
// `module` must match a whole leading part of a name, up to a `/` or `.`. `op_name` is a literal
// name. An op has every name in its location. It is an error if a constraint matches nothing or is
// illegal, or if two constraints disagree.
//
// `restored` denotes entries from a strategy checkpoint or the model's file. They yield to the
// user's constraints, which lack it, and their `in` and `out` together determine how an op's
// factors are split. `carried` repeats `in` with the partial sums that the op takes as such; it
// takes no others.
// `op_exact` is one op of one function (OpNames.h). An `optional` entry that does not fit is
// ignored, with a remark.

/// Kind of target that a constraint names.
enum class ConstraintKind { Op, OpName, OpExact, Module, Parameter, Input };

/// One entry of `dist.constraints`.
class ShardingConstraint {
public:
  /// Parses one entry; emits a diagnostic at `module` on failure.
  static mlir::FailureOr<ShardingConstraint> read(mlir::DictionaryAttr entry,
                                                  mlir::ModuleOp module);

  ConstraintKind getTarget() const { return ConstraintKind(subject.key); }
  /// Whether it is from a strategy checkpoint or the model's file; it yields to the user's.
  bool isRestored() const { return restored; }
  bool isOptional() const { return optional; }
  llvm::StringRef getPattern() const { return subject.pattern.getText(); }
  bool isOfTensor() const {
    return getTarget() == ConstraintKind::Parameter || getTarget() == ConstraintKind::Input;
  }
  /// Returns the place where the constraint was written; empty if unknown.
  llvm::StringRef getPlace() const { return subject.place; }
  bool matches(llvm::StringRef name) const { return subject.pattern.matches(name); }
  const GivenStrategy &getStrategy() const { return strategy; }
  /// Cut of a parameter or input.
  const GivenCuts &getSharding() const { return *strategy.out; }
  /// Returns the constraint as written, for messages: `constraint "/h.0" at
  /// constraints.textproto:3`.
  std::string describe() const { return subject.describe(); }
  mlir::LogicalResult refuseUnmatched(mlir::ModuleOp module, llvm::StringRef kind = "op") const {
    return subject.refuseUnmatched(module, kind);
  }

private:
  analysis::ConstraintSubject subject;
  bool restored = false, optional = false;
  GivenStrategy strategy;
};

/// Parses all constraints of `module`; empty without the attribute. Emits a diagnostic on failure.
mlir::FailureOr<std::vector<ShardingConstraint>> readConstraints(mlir::ModuleOp module);

//===-- ConstraintResolver.cpp ----------------------------------------------------------------===//

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
