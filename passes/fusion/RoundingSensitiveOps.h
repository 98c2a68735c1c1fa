// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ops whose result may flip on a rounding difference: ops that compare two values or round
// one to an integer, and the elementwise ops that feed them.
//
//   %m = reduce max %x, [1]                  %x must be the same to the last bit in both ops,
//   %h = compare eq %x, broadcast %m         or no element equals the maximum
//
// A comparison with a constant does not count: rounding changes its result only for values that are
// that close to the constant.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc::fusion {

class RoundingSensitiveOps {
public:
  explicit RoundingSensitiveOps(mlir::func::FuncOp function);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }

  /// Clones an op of the function; if the op is in the set, the clone is added to it.
  mlir::Operation *clone(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &copies);

private:
  llvm::DenseSet<mlir::Operation *> ops;
};

} // namespace pcc::fusion
