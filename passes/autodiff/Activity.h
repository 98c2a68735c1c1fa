// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through which values of a function a gradient flows: those that vary with a source (a trainable
// parameter) and on which the loss depends.
//
// Values also flow from a send on one rank to a receive on another, which no operand shows: all
// sends and receives of floats under one tag count as one value. What is exact for a value is
// cautious for a tag, and alike on both sides of every transfer.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace pcc::autodiff {

class Activity {
public:
  /// Forward and backward walks over `block`. `sources` are float tensors.
  Activity(mlir::Block &block, llvm::ArrayRef<mlir::Value> sources, mlir::Value loss);

  /// Whether the loss's gradient reaches `value` and is needed there.
  bool isActive(mlir::Value value) const {
    return varying.contains(value) && needed.contains(value);
  }

  /// Whether a gradient passes `op` on its way to a source.
  bool isActive(mlir::Operation *op) const;

  /// The ops that a gradient must pass and that have no derivative, in program order.
  llvm::ArrayRef<mlir::Operation *> withoutDerivative() const { return missing; }

private:
  bool findVarying(mlir::Operation &op);
  bool findNeeded(mlir::Operation &op);

  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<mlir::Value> needed;
  llvm::DenseSet<int64_t> varyingTags; ///< of sends whose operand varies
  llvm::DenseSet<int64_t> neededTags;  ///< of receives whose result is active
  llvm::SmallVector<mlir::Operation *> missing;
};

} // namespace pcc::autodiff
