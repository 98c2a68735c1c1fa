// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries the shardings of a function's arguments through its ops.
//
// Forwards, each op follows its operands (OpSharding.h). Then backwards, an op that computes a
// whole value from whole values is split where all that use it want the same block: constants,
// iota, broadcasts of biases. A value that has two users with different wishes stays as it is, and
// partition reshards it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/strategy/OpSharding.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::strategy {

class Propagation {
public:
  Propagation(mlir::func::FuncOp function, const dist::Mesh &mesh)
      : function(function), mesh(mesh) {}

  /// How the ops are to see an argument, whatever the function's boundary says of it.
  void seed(mlir::BlockArgument argument, const dist::Sharding &sharding);
  /// Splits every op; arguments without a seed are whole.
  void run();
  /// Of any value, after run.
  dist::Sharding getSharding(mlir::Value value) const;
  /// Writes `dist.in` and `dist.out`.
  void annotate();

private:
  void goForwards();
  void goBackwards();
  /// The sharding in which all users want `value`, if they agree.
  std::optional<dist::Sharding> findCommonWish(mlir::Value value) const;
  bool isWhole(mlir::Operation *op) const;

  mlir::func::FuncOp function;
  const dist::Mesh &mesh;
  llvm::DenseMap<mlir::Value, dist::Sharding> values;
  llvm::DenseMap<mlir::Operation *, OpSharding> ops;
};

} // namespace pcc::strategy
