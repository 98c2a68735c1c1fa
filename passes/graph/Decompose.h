// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How wholes become pieces. One function per op; each is given a builder that stands before the op
// and returns the values that replace its results.
#pragma once

#include "dialects/graph/Constants.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pcc::graph {

/// Builds values in the terms of one op: constants and broadcasts of one result type.
class PieceBuilder : public mlir::ImplicitLocOpBuilder {
public:
  explicit PieceBuilder(mlir::Operation *op) : ImplicitLocOpBuilder(op->getLoc(), op) {}

  /// A splat of `like`'s type.
  mlir::Value splat(mlir::Value like, double value);

  /// A scalar, cast to `like`'s element type and repeated in its shape.
  mlir::Value repeat(mlir::Value scalar, mlir::Value like);

  /// `reduced`, which lacks the dimension `axis` of `like`, repeated along it.
  mlir::Value repeatAlong(mlir::Value reduced, mlir::Value like, int64_t axis);

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(*this, std::forward<Args>(args)...);
  }
};

/// The pieces that replace the results of one op.
using Pieces = llvm::SmallVector<mlir::Value, 2>;

Pieces decompose(GeluOp op, PieceBuilder &builder);
Pieces decompose(SiluOp op, PieceBuilder &builder);
Pieces decompose(SoftplusOp op, PieceBuilder &builder);
Pieces decompose(EluOp op, PieceBuilder &builder);
Pieces decompose(LeakyReluOp op, PieceBuilder &builder);
Pieces decompose(ClampOp op, PieceBuilder &builder);
Pieces decompose(SoftmaxOp op, PieceBuilder &builder);
Pieces decompose(SoftmaxCrossEntropyOp op, PieceBuilder &builder);
Pieces decompose(SgdOp op, PieceBuilder &builder);
Pieces decompose(MomentumOp op, PieceBuilder &builder);

} // namespace pcc::graph
