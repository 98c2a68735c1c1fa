// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the ops of one block for reverse-mode differentiation.
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::autodiff {

class Activity;

/// Visits the ops of a block backwards and builds their backward ops before the terminator. Every
/// op that a gradient must pass has a derivative (Activity::withoutDerivative is empty).
class ReverseWalk {
public:
  ReverseWalk(mlir::Block &block, const Activity &activity);

  /// Builds the gradients of `loss`, a float scalar, with respect to all active values.
  void run(mlir::Value loss);

  /// Returns the sum of the gradients that the uses of `value` gave, null for none.
  mlir::Value gradientOf(mlir::Value value);

private:
  void visit(mlir::Operation *op);

  const Activity &activity;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Operation *> forwardOps;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 1>> contributions;
};

} // namespace pcc::autodiff
