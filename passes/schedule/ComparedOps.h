// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a rounding more or less decides: ops that compare two values, or round one to an integer,
// and those whose results get there element by element.
//
//   %m = reduce max %x, [1]                  %x must be the same to the last bit in both places,
//   %h = compare eq %x, broadcast %m         or nothing is equal to the maximum
//
// A comparison with a number is none of these: what is the same but for rounding falls on the other
// side of it only if it is that near.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc::schedule {

class ComparedOps {
public:
  explicit ComparedOps(mlir::func::FuncOp function);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }

  /// Clones an op of the function; the copy is one of these if the op is.
  mlir::Operation *clone(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &copies);

private:
  llvm::DenseSet<mlir::Operation *> ops;
};

} // namespace pcc::schedule
