// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows partial sums through the ops that carry them, and tells which of them meet no other.
//
//   p = matmul         partial
//   q = add(p, bias)   carried past a whole     lonely: bias enters once, and nothing is gained
//   r = relu(q)        wants the sum
//
//   s = add(p1, whole) carried past a whole     not lonely: two sums are reduced as one
//   t = add(s, p2)     joins another
//   u = relu(t)        wants the sum
#pragma once

#include "passes/strategy/OpSharding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::strategy {

class CarriedSums {
public:
  /// A use of `value` that takes it partial, or wants its sum. Before visitOp of the user.
  void visitUse(mlir::Value value, bool isPartial);
  /// The next op in program order. `isPartial` tells whether a value comes as a partial sum.
  void visitOp(mlir::Operation *op, const OpSharding &sharding,
               llvm::function_ref<bool(mlir::Value)> isPartial);

  /// Whether `op` carries a sum that meets no other until it is wanted.
  bool isLonely(mlir::Operation *op) const { return lonely.contains(op); }

private:
  /// What is known of a partial value.
  struct Sum {
    int joined = 1;                              ///< how many sums came together in it
    llvm::SmallVector<mlir::Operation *, 4> ops; ///< that carried it, from the first whole value on
  };

  llvm::DenseMap<mlir::Value, Sum> sums;
  llvm::SmallPtrSet<mlir::Operation *, 8> lonely;
};

} // namespace pcc::strategy
