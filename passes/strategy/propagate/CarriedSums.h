// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows partial sums through the ops that carry them. An op carries a partial sum if its result
// is partial because an operand is (OpSharding.h). That pays if the sum joins another partial sum
// before it is reduced: then one reduction serves both. A carrying op without this benefit is
// called unjoined.
//
//   p = matmul         partial
//   q = add(p, bias)   carries p beside bias    unjoined: bias enters once, and nothing is gained
//   r = relu(q)        needs the sum
//
//   s = add(p1, w)     carries p1 beside w      joined: two sums are reduced as one
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
  bool isUnjoined(mlir::Operation *op) const { return unjoined.contains(op); }

private:
  /// Properties of a partial value.
  struct Sum {
    int joined = 1; ///< number of partial sums added together
    /// Ops that carried the sum beside a value that is no partial sum, and ops that followed them.
    llvm::SmallVector<mlir::Operation *, 4> ops;
  };

  llvm::DenseMap<mlir::Value, Sum> sums;
  llvm::SmallPtrSet<mlir::Operation *, 8> unjoined;
};

} // namespace pcc::strategy
