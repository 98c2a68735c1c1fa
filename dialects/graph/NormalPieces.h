// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normal forms by mean and variance as core ops. They are needed three times: for all of what one
// mean is taken of, for one rank's block of it, whose sums go on over the other blocks, and by
// derivatives, which take the same statistics again. Everything between the operands and the
// results is in f32 or wider.
#pragma once

#include "dialects/graph/PieceBuilder.h"

namespace pcc::graph {

/// From a sum over one block to that over all of them.
using JoinSums = llvm::function_ref<mlir::Value(mlir::Value)>;

/// What one mean is taken of: the dimensions `dims` of a tensor, which is cut along them into
/// `blocks` equal blocks.
struct NormalSpan {
  llvm::SmallVector<int64_t> dims;
  int64_t blocks = 1;
  JoinSums joinSums;

  /// All of the dimensions from `axis` on.
  static NormalSpan from(int64_t axis, int64_t rank);
  /// All of every dimension but 1, the channels.
  static NormalSpan ofChannels(int64_t rank);
};

/// A tensor beside its statistics.
struct Normalised {
  mlir::Value mean;     ///< null where none was subtracted
  mlir::Value variance; ///< the mean of squares where no mean was subtracted
  mlir::Value inverse;  ///< 1 / sqrt(variance + epsilon), repeated to the shape of the tensor
  mlir::Value value;    ///< (tensor - mean) · inverse
};

/// `input` less its mean over its standard deviation. The variance is the mean of squared
/// deviations, never a difference of means, which cancels where the mean is large.
Normalised buildNormalised(mlir::Value input, const llvm::APFloat &epsilon, const NormalSpan &span,
                           PieceBuilder &builder);

/// `input` over the root of its mean square.
Normalised buildRootMeanSquare(mlir::Value input, const llvm::APFloat &epsilon,
                               const NormalSpan &span, PieceBuilder &builder);

/// `value` summed over `dims`: over the last dimensions first, whose elements lie next to each
/// other, and what is left over the others.
mlir::Value sumOver(mlir::Value value, llvm::ArrayRef<int64_t> dims, PieceBuilder &builder);

/// The mean over all blocks of the span.
mlir::Value meanOver(mlir::Value value, const NormalSpan &span, PieceBuilder &builder);

/// With elements of f32 where they are narrower.
mlir::Value widen(mlir::Value value, PieceBuilder &builder);

// The results of the ops on `operands`, which are theirs or blocks of them. `span` is that of the
// block.
Pieces buildLayerNorm(LayerNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                      PieceBuilder &builder);
Pieces buildRmsNorm(RmsNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                    PieceBuilder &builder);
Pieces buildBatchNorm(BatchNormOp op, mlir::ValueRange operands, const NormalSpan &span,
                      PieceBuilder &builder);

} // namespace pcc::graph
