// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes normalizations by mean and variance into core ops. There are three users: whole
// tensors, one rank's block, whose sums continue over the other blocks, and derivatives, which
// recompute the same statistics. Everything between operands and results is in f32 or wider.
#pragma once

#include "dialects/graph/PieceBuilder.h"

namespace pcc::graph {

/// Extends a sum over one block to the sum over all blocks.
using JoinSums = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The elements that share one mean: the dimensions `dims` of a tensor, which is cut along them
/// into `blocks` equal blocks.
struct NormalSpan {
  llvm::SmallVector<int64_t> dims;
  int64_t blocks = 1;
  JoinSums joinSums;

  /// Spans all dimensions from `axis` on.
  static NormalSpan from(int64_t axis, int64_t rank);
  /// Spans every dimension but 1, the channels.
  static NormalSpan ofChannels(int64_t rank);
};

/// A normalized tensor and its statistics.
struct Normalised {
  mlir::Value mean;     ///< null if none was subtracted
  mlir::Value variance; ///< the mean of squares if no mean was subtracted
  mlir::Value inverse;  ///< 1 / sqrt(variance + epsilon), repeated to the shape of the tensor
  mlir::Value value;    ///< (tensor - mean) · inverse
};

/// Subtracts the mean of `input` and divides by its standard deviation. The variance is the mean of
/// squared deviations, never a difference of means, which cancels if the mean is large.
Normalised buildNormalised(mlir::Value input, const llvm::APFloat &epsilon, const NormalSpan &span,
                           PieceBuilder &builder);

/// Divides `input` by the root of its mean square.
Normalised buildRootMeanSquare(mlir::Value input, const llvm::APFloat &epsilon,
                               const NormalSpan &span, PieceBuilder &builder);

/// Sums `value` over `dims`: first over the last dimensions, whose elements lie next to each other,
/// then over the remaining ones.
mlir::Value sumOver(mlir::Value value, llvm::ArrayRef<int64_t> dims, PieceBuilder &builder);

/// Computes the mean over all blocks of the span.
mlir::Value meanOver(mlir::Value value, const NormalSpan &span, PieceBuilder &builder);

/// Casts elements narrower than f32 to f32.
mlir::Value widen(mlir::Value value, PieceBuilder &builder);

// Build the results of the ops on `operands`, which are the op's own operands or blocks of them.
// `span` is that of the block.
Pieces buildLayerNorm(LayerNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                      PieceBuilder &builder);
Pieces buildRmsNorm(RmsNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                    PieceBuilder &builder);
Pieces buildBatchNorm(BatchNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                      PieceBuilder &builder);

} // namespace pcc::graph
