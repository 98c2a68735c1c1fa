// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows partial sums through the ops that carry them, and finds the ops whose sum never joins
// another partial sum.
//
//   p = matmul         partial
//   q = add(p, bias)   carries p beside bias    lonely: bias enters once, and nothing is gained
//   r = relu(q)        needs the sum
//
//   s = add(p1, w)     carries p1 beside w      not lonely: two sums are reduced as one
//   t = add(s, p2)     joins another sum
//   u = relu(t)        needs the sum
#pragma once

#include "passes/strategy/propagate/OpSharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::strategy {

class CarriedSums {
public:
  /// Visits a use of `value` that takes the partial sum or needs the complete sum. Must precede
  /// visitOp of the user.
  void visitUse(mlir::Value value, bool isPartial);
  /// Visits the next op in program order. `isPartial` tells whether a value is a partial sum.
  void visitOp(mlir::Operation *op, const OpSharding &sharding,
               llvm::function_ref<bool(mlir::Value)> isPartial);

  /// Whether `op` carries a partial sum that joins no other before the complete sum is needed.
  bool isLonely(mlir::Operation *op) const { return lonely.contains(op); }

private:
  /// Properties of a partial value.
  struct Sum {
    int joined = 1;                              ///< number of partial sums added together
    llvm::SmallVector<mlir::Operation *, 4> ops; ///< that carried the sum beside a whole value
  };

  llvm::DenseMap<mlir::Value, Sum> sums;
  llvm::SmallPtrSet<mlir::Operation *, 8> lonely;
};

} // namespace pcc::strategy
