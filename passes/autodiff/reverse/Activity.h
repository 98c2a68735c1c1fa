// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the values of a function through which a gradient flows: those that vary with a source (a
// trainable parameter) and on which the loss depends.
//
// Values also flow from a send on one rank to a receive on another, which no operand shows. All
// sends and receives of floats under one tag therefore count as one value. The result is exact for
// values, conservative for tags, and the same on both sides of every transfer.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <set>

namespace pcc::autodiff {

class Activity {
public:
  /// Walks `block` forward and backward. `sources` are float tensors.
  Activity(mlir::Block &block, llvm::ArrayRef<mlir::Value> sources, mlir::Value loss);

  /// Returns whether the loss's gradient reaches `value` and is needed there.
  bool isActive(mlir::Value value) const {
    return varying.contains(value) && needed.contains(value);
  }

  /// Returns whether a gradient passes `op` on its way to a source.
  bool isActive(mlir::Operation *op) const;

  /// Returns the ops without a derivative that a gradient must pass, in program order.
  llvm::ArrayRef<mlir::Operation *> withoutDerivative() const { return missing; }

private:
  bool findVarying(mlir::Operation &op);
  bool findNeeded(mlir::Operation &op);

  llvm::DenseSet<mlir::Value> varying;
  llvm::DenseSet<mlir::Value> needed;
  std::set<int64_t> varyingTags; ///< of sends whose operand varies
  std::set<int64_t> neededTags;  ///< of receives whose result is active
  llvm::SmallVector<mlir::Operation *> missing;
};

/// Returns the values from which ops on floats compute `loss`, even if their derivative is zero, as
/// that of a rounding. torch gives other parameters no gradient at all. A send may lead anywhere.
llvm::DenseSet<mlir::Value> findFloatSources(mlir::Block &block, mlir::Value loss);

} // namespace pcc::autodiff
