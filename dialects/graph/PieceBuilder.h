// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the core ops that an op consists of.
#pragma once

#include "dialects/graph/Constants.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::graph {

/// Builds values in the terms of one op: constants and broadcasts of one result type.
class PieceBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Before `op`.
  explicit PieceBuilder(mlir::Operation *op) : ImplicitLocOpBuilder(op->getLoc(), op) {}
  /// Where `builder` stands.
  PieceBuilder(mlir::Location loc, const mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  /// A splat of `like`'s type.
  mlir::Value splat(mlir::Value like, double value);

  /// A scalar, cast to `like`'s element type and repeated in its shape.
  mlir::Value repeat(mlir::Value scalar, mlir::Value like);

  /// `reduced`, which lacks the dimensions `axes` of `like`, repeated along them. Its elements
  /// stay.
  mlir::Value repeatAlong(mlir::Value reduced, mlir::Value like, llvm::ArrayRef<int64_t> axes);

  /// `value` with elements of `element`; itself if it has such.
  mlir::Value castTo(mlir::Value value, mlir::Type element);

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(*this, std::forward<Args>(args)...);
  }
};

/// The pieces that replace the results of one op.
using Pieces = llvm::SmallVector<mlir::Value>;

} // namespace pcc::graph
