// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the core ops into which a composite decomposes.
#pragma once

#include "dialects/graph/Constants.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::graph {

/// An op builder with helpers for constants, casts and broadcasts. Their types follow from another
/// value.
class DecompositionBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Inserts before `op`.
  explicit DecompositionBuilder(mlir::Operation *op) : ImplicitLocOpBuilder(op->getLoc(), op) {}
  /// Inserts where `builder` does.
  DecompositionBuilder(mlir::Location loc, const mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  /// Builds a splat of `like`'s type.
  mlir::Value splat(mlir::Value like, double value);

  /// Casts a scalar to `like`'s element type and repeats it to its shape.
  mlir::Value repeat(mlir::Value scalar, mlir::Value like);

  /// Repeats `reduced`, which lacks the dimensions `axes` of `like`, along these dimensions. Keeps
  /// its element type.
  mlir::Value repeatAlong(mlir::Value reduced, mlir::Value like, llvm::ArrayRef<int64_t> axes);

  /// Casts `value` to elements of `element`; returns it unchanged if it has such.
  mlir::Value castTo(mlir::Value value, mlir::Type element);

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(*this, std::forward<Args>(args)...);
  }
};

/// Values that replace the results of one composite.
using Decomposition = llvm::SmallVector<mlir::Value>;

} // namespace pcc::graph
