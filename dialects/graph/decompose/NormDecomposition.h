// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes normalizations by mean and variance into core ops. There are three users: whole
// tensors, one rank's block, whose sums continue over the other blocks, and derivatives, which
// recompute the same statistics. Everything between operands and results is in f32 or wider.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"

namespace pcc::graph {

/// Extends a sum over one block to the sum over all blocks.
using JoinSums = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The elements that share one mean: the dimensions `dims` of a tensor, which is cut along them
/// into `blocks` equal blocks.
struct NormSpan {
  llvm::SmallVector<int64_t> dims;
  int64_t blocks = 1;
  JoinSums joinSums;

  /// Spans all dimensions from `axis` on.
  static NormSpan from(int64_t axis, int64_t rank);
  /// Spans every dimension but 1, the channels.
  static NormSpan ofChannels(int64_t rank);
};

/// A normalized tensor and its statistics.
struct Normalized {
  mlir::Value mean;     ///< null if none was subtracted
  mlir::Value variance; ///< the mean of squares if no mean was subtracted
  mlir::Value inverse;  ///< 1 / sqrt(variance + epsilon), repeated to the shape of the tensor
  mlir::Value value;    ///< (tensor - mean) · inverse
};

/// Subtracts the mean of `input` and divides by its standard deviation. The variance is the mean of
/// squared deviations, never a difference of means, which cancels if the mean is large.
Normalized buildNormalized(mlir::Value input, const llvm::APFloat &epsilon, const NormSpan &span,
                           DecompositionBuilder &builder);

/// Divides `input` by the root of its mean square.
Normalized buildRmsNormalized(mlir::Value input, const llvm::APFloat &epsilon, const NormSpan &span,
                              DecompositionBuilder &builder);

/// Sums `value` over `dims`: first over the last dimensions, whose elements lie next to each other,
/// then over the remaining ones.
mlir::Value sumOver(mlir::Value value, llvm::ArrayRef<int64_t> dims, DecompositionBuilder &builder);

/// Returns the number of elements in all blocks of the span, of which `block` is one.
int64_t countOf(const NormSpan &span, mlir::RankedTensorType block);

/// Returns by what the variance of `count` elements is multiplied before it enters the running
/// variance of the op.
double runningShare(BatchNormOp op, int64_t count);

/// Computes the mean over all blocks of the span.
mlir::Value meanOver(mlir::Value value, const NormSpan &span, DecompositionBuilder &builder);

/// Casts elements narrower than f32 to f32.
mlir::Value widen(mlir::Value value, DecompositionBuilder &builder);

// Build the results of the ops on `operands`, which are the op's own operands or blocks of them.
// `span` is that of the block.
Decomposition buildLayerNorm(LayerNormOp op, mlir::ValueRange operands, const NormSpan &span,
                             DecompositionBuilder &builder);
Decomposition buildRmsNorm(RmsNormOp op, mlir::ValueRange operands, const NormSpan &span,
                           DecompositionBuilder &builder);
Decomposition buildBatchNorm(BatchNormOp op, mlir::ValueRange operands, const NormSpan &span,
                             DecompositionBuilder &builder);

} // namespace pcc::graph
