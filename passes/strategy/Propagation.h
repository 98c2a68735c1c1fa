// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries given shardings through the ops of one function.
//
// What is given stays. Parameters of given ops follow them first, since other ops use them as well.
// From there on, in this order and until nothing changes:
//
//   forwards    an op follows its operands, once all of them are known
//   backwards   what is computed from parameters, scalars and constants alone follows its first
//   user backwards   any other op follows its first user forwards    an op follows those of its
//   operands that are known
//
// Where an op's operands, and the user's wish, are cut in different ways, each of them is tried as
// the one to follow, and the way that moves the least is taken (OpSplitter.h).
//
//   x -> matmul(given [dp, _], [_, tp]) -> relu -> matmul(given [dp, tp], [tp, _]) -> add
//     x         backwards  [dp, _]
//     relu      forwards   [dp, tp]
//     add       forwards   [dp, _] partial(sum: tp); whoever needs the sum asks for it
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/strategy/OpSplitter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::strategy {

/// Where the sharding of an op comes from.
enum class Origin { Given, Searched, Forwards, Backwards, Whole };

/// The lower-case name used in remarks.
llvm::StringRef stringify(Origin origin);

/// Whether a result leaves `function` as a partial sum, if it is one: losses and gradients, which
/// slots add anyway, and so does whoever reads the ranks' blocks. Outputs and parameters
/// are summed before.
bool staysPartial(mlir::func::FuncOp function, unsigned result);

class Propagation {
public:
  /// `planner` knows the mesh, and outlives this.
  Propagation(mlir::func::FuncOp function, facts::ReshardPlanner &planner);

  /// The cuts of an argument.
  void give(mlir::BlockArgument argument, const dist::Sharding &sharding);
  /// The axes of an op's factors and, unless empty, its results as their users are to see them.
  void give(mlir::Operation *op, llvm::ArrayRef<dist::AxisList> factors,
            llvm::ArrayRef<dist::Sharding> results = {});

  /// All of an op's sharding, partial sums included, which stays as it is.
  void give(mlir::Operation *op, OpSharding sharding, llvm::ArrayRef<dist::Sharding> results);

  /// Carries what is given as far as it leads.
  void run();
  /// Leaves whole what nothing has reached, and sums what was carried past wholes to join nothing.
  void finish();

  /// Whether a value has its sharding.
  bool isKnown(mlir::Value value) const { return values.contains(value); }
  /// Of any value, as it is made; whole if unknown.
  dist::Sharding getSharding(mlir::Value value) const;
  /// As the users of `value` see it: without a partial sum that they were told not to see.
  dist::Sharding getSeen(mlir::Value value) const;

  /// Writes `dist.in` and `dist.out`, with a remark for each op.
  void annotate();

private:
  struct Decision {
    OpSharding sharding;
    Origin origin = Origin::Whole;
  };

  /// In which decided users take a value, and the first of these users in program order.
  struct Form {
    dist::Sharding sharding;
    mlir::OpOperand *first = nullptr;
  };

  bool goForwards(bool needsAll);
  bool goBackwards(bool onlyFree);
  bool goBackwardsTo(mlir::BlockArgument argument);
  void spreadHints();
  void record(mlir::Operation *op, OpSharding sharding, Origin origin);
  void show(mlir::Operation *op, llvm::ArrayRef<dist::Sharding> results);
  void addForm(mlir::OpOperand &use, const dist::Sharding &sharding);
  void updateForms(mlir::Operation *op, bool isNew);
  bool isReady(mlir::Operation *op, bool needsAll) const;
  /// Of a value that is known or from parameters that are.
  std::optional<dist::Sharding> findHint(mlir::Value value) const;
  /// The other shardings in which decided users take `value`.
  std::vector<dist::Sharding> listForms(mlir::Value value) const;
  /// The sharding in which the first decided user wants `value`.
  std::optional<dist::Sharding> findWish(mlir::Value value) const;
  /// The sharding of the parameter of which `value` is the gradient: where it ends up.
  std::optional<dist::Sharding> findParameter(mlir::Value value) const;
  OpSplitter makeSplitter(mlir::Operation *op) const;
  OpSharding choose(mlir::Operation *op, std::optional<dist::Sharding> wish) const;
  bool sumLonely();
  /// The axes over which a decided op is split.
  int64_t countParts(const OpSharding &sharding) const;

  mlir::func::FuncOp function;
  facts::ReshardPlanner &planner;
  const dist::Mesh &mesh;
  llvm::StringMap<mlir::BlockArgument> parameters; ///< by name
  llvm::DenseSet<mlir::Value> free;                ///< from parameters, scalars and constants alone
  llvm::DenseMap<mlir::Value, dist::Sharding> values; ///< as they are made
  llvm::DenseMap<mlir::Value, dist::Sharding> seen;   ///< where users are to see something else
  llvm::DenseMap<mlir::Value, dist::Sharding> hints;  ///< of free values that are not known yet
  llvm::DenseMap<mlir::Operation *, Decision> ops;
  /// By value, those whose first users come first in front: equal prices are told apart by it.
  llvm::DenseMap<mlir::Value, std::vector<Form>> forms;
};

} // namespace pcc::strategy
