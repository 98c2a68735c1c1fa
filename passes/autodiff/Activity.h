// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through which values of a function a gradient flows: those that vary with a source (a trainable
// parameter) and on which the loss depends.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc::autodiff {

class Activity {
public:
  /// One forward and one backward walk over `block`. `sources` are float tensors.
  Activity(mlir::Block &block, llvm::ArrayRef<mlir::Value> sources, mlir::Value loss);

  /// Whether the loss's gradient reaches `value` and is needed there.
  bool isActive(mlir::Value value) const {
    return varying.contains(value) && needed.contains(value);
  }

  /// The ops that a gradient must pass and that have no derivative, in program order.
  llvm::ArrayRef<mlir::Operation *> withoutDerivative() const { return missing; }

private:
  void findVarying(mlir::Block &block);
  void findNeeded(mlir::Block &block);

  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<mlir::Value> needed;
  llvm::SmallVector<mlir::Operation *> missing;
};

} // namespace pcc::autodiff
