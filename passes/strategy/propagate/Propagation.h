// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates given shardings through the ops of one function to a fixpoint.
//
// Given shardings stay. The parameters of given ops follow first, since other ops use them as well.
// Then these rules apply, in this order, until nothing changes:
//
//   forwards         an op follows its operands, once all of them are known and one of them is cut
//   backwards        an op that depends only on parameters, scalars and constants follows its users
//   backwards        any other op follows its users
//   forwards         an op follows those of its operands that are known, if one of them is cut
//   forwards         an op follows operands that are known and whole: first if all of them are
//
// Whole operands come last, because an op that reads them can be split in any way. A user that
// reads a block of its result saves work then.
//
// The forms of a value are the shardings in which decided ops take it. They are the wanted
// shardings of the value, in the order of these users. If an op's operands and the wanted shardings
// of its result are cut in different ways, each of them is tried as the one to follow. The cheapest
// split is chosen (OpSharding.h).
//
//   x -> matmul(given [dp, _], [_, tp]) -> relu -> matmul(given [dp, tp], [tp, _]) -> add
//     x         backwards  [dp, _]
//     relu      forwards   [dp, tp]
//     add       forwards   [dp, _] partial(sum: tp); a user that needs the sum requests it
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/strategy/propagate/OpSharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::strategy {

/// Rule or source that determined the sharding of an op.
enum class Origin { Given, Searched, Trained, Forwards, Backwards, Unreached };

/// Returns the lower-case name used in remarks.
llvm::StringRef stringify(Origin origin);

/// Whether a partial result leaves `function` as a partial sum. Losses and gradients do: actions
/// accumulate them anyway, and readers of the ranks' blocks add them. Outputs and parameters are
/// summed before.
bool staysPartial(mlir::func::FuncOp function, unsigned result);

class Propagation {
public:
  /// Starts with no sharding known. `planCache` provides the mesh and must outlive this object.
  Propagation(mlir::func::FuncOp function, analysis::ReshardPlanCache &planCache);

  /// Sets the cuts of an argument, and why it is cut so.
  void seed(mlir::BlockArgument argument, const dist::Sharding &sharding,
            analysis::Reasons why = {});
  /// Sets the axes of an op's factors and, unless empty, the shardings of its results as their
  /// users read them.
  void seed(mlir::Operation *op, llvm::ArrayRef<dist::AxisList> factors,
            llvm::ArrayRef<dist::Sharding> results = {}, analysis::Reasons why = {});

  /// Sets the complete sharding of an op, including partial sums; finish() does not change it.
  void seed(mlir::Operation *op, OpSharding sharding, llvm::ArrayRef<dist::Sharding> results,
            Origin origin, analysis::Reasons why = {});

  /// Propagates the given shardings to a fixpoint.
  void run();
  /// Decides the ops that propagation did not reach; without a split operand they are not split.
  /// Sums partial values before the ops that would carry them without joining another partial sum.
  void finish();

  /// Whether the sharding of a value is decided.
  bool isKnown(mlir::Value value) const { return values.contains(value); }
  /// Returns the sharding of a decided op, otherwise null.
  const OpSharding *find(mlir::Operation *op) const;
  /// Returns the sharding in which a value is produced; replicated if undecided.
  dist::Sharding getSharding(mlir::Value value) const;
  /// Returns the sharding in which the users read `value`. It differs from the produced one if it
  /// was given; it is then complete even if the produced value is a partial sum.
  dist::Sharding getUserSharding(mlir::Value value) const;
  /// Returns why a value has its sharding; empty for a replicated value.
  analysis::Reasons getReasons(mlir::Value value) const { return reasons.lookup(value); }

  /// Writes `dist.in` and `dist.out`, and reasons into locations, with a remark for each op.
  void annotate();

private:
  struct Decision {
    OpSharding sharding;
    Origin origin = Origin::Unreached;
  };

  /// Sharding that an op should give its first result, and what asks for it: a use of the result,
  /// or the parameter whose gradient the result is.
  struct WantedSharding {
    dist::Sharding sharding;
    mlir::OpOperand *use = nullptr;
    mlir::Value parameter = nullptr;
  };

  /// Sharding in which decided users take a value, and the first of these users in program order.
  struct Form {
    dist::Sharding sharding;
    mlir::OpOperand *first = nullptr;
  };

  /// The known operands that an op needs to follow them.
  struct Needed {
    bool all = false; ///< all operands; otherwise any
    bool cut = false; ///< one that is cut or a partial sum; otherwise whole ones will do
  };

  bool propagateForwards(Needed needed);
  bool propagateBackwards(bool onlyFree);
  bool propagateBackwardsTo(mlir::BlockArgument argument);
  void spreadHints();
  void record(mlir::Operation *op, OpSharding sharding, Origin origin, analysis::Reasons why);
  /// Records the split that `splitter` chooses.
  void decide(mlir::Operation *op, const OpSplitter &splitter,
              llvm::ArrayRef<WantedSharding> wanted, Origin origin);
  analysis::Reasons explain(mlir::Operation *op, const OpSplit &split,
                            llvm::ArrayRef<WantedSharding> wanted) const;
  void followUse(llvm::StringRef axis, mlir::OpOperand &use, analysis::Reasons &why) const;
  void setUserSharding(mlir::Operation *op, llvm::ArrayRef<dist::Sharding> results);
  void addForm(mlir::OpOperand &use, const dist::Sharding &sharding);
  void updateForms(mlir::Operation *op, bool isNew);
  bool isReady(mlir::Operation *op, Needed needed) const;
  /// Returns the sharding of a value that is decided or follows from decided parameters.
  std::optional<dist::Sharding> findHint(mlir::Value value) const;
  /// Lists the forms of `value` other than its own sharding.
  std::vector<Form> listForms(mlir::Value value) const;
  /// Lists the wanted shardings of `value`, without partial axes.
  std::vector<WantedSharding> listWanted(mlir::Value value) const;
  /// Returns the sharding of the parameter whose gradient `value` is, or becomes element by
  /// element; the gradient is needed in it.
  std::optional<WantedSharding> findParameter(mlir::Value value) const;
  /// Returns a splitter that knows the op's operands and the wanted shardings.
  OpSplitter makeSplitter(mlir::Operation *op, llvm::ArrayRef<WantedSharding> wanted = {}) const;
  bool sumUnjoined();
  /// Returns the number of parts into which a decided op is split.
  int64_t countParts(const OpSharding &sharding) const;

  mlir::func::FuncOp function;
  analysis::ReshardPlanCache &planCache;
  const dist::Mesh &mesh;
  llvm::StringMap<mlir::BlockArgument> parameters; ///< by name
  llvm::DenseSet<mlir::Value> free; ///< depend only on parameters, scalars and constants
  llvm::DenseMap<mlir::Value, dist::Sharding> values;        ///< as they are produced
  llvm::DenseMap<mlir::Value, dist::Sharding> userShardings; ///< as users read them, if different
  llvm::DenseMap<mlir::Value, dist::Sharding> hints; ///< of free values that are not decided yet
  llvm::DenseMap<mlir::Value, analysis::Reasons> reasons; ///< of decided and of hinted values
  llvm::DenseMap<mlir::Operation *, Decision> ops;
  llvm::DenseSet<mlir::Operation *> exact; ///< ops with a complete sharding from outside
  /// Forms of each value, ordered by their first users; this order decides between equal costs.
  llvm::DenseMap<mlir::Value, std::vector<Form>> forms;
};

} // namespace pcc::strategy
