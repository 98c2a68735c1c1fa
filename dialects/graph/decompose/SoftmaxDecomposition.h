// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes softmax and its cross entropy into core ops: for all classes, and for one rank's block
// of them, whose reductions continue over the other blocks.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"

namespace pcc::graph {

/// Extends a reduction over one block of the classes, a maximum or a sum, to all classes.
using JoinBlocks = llvm::function_ref<mlir::Value(ReduceOpKind, mlir::Value)>;

/// Builds the softmax of `input` along `axis`.
mlir::Value buildSoftmax(mlir::Value input, int64_t axis, DecompositionBuilder &builder,
                         JoinBlocks joinBlocks);

/// Builds the logarithm of the softmax, without overflow.
mlir::Value buildLogSoftmax(mlir::Value input, int64_t axis, DecompositionBuilder &builder,
                            JoinBlocks joinBlocks);

/// Builds -Σ weights · log softmax along the last dimension of `logits`, one number per sample. A
/// label outside the classes gives no class a weight.
mlir::Value buildSampleLosses(mlir::Value logits, mlir::Value weights,
                              DecompositionBuilder &builder, JoinBlocks joinBlocks);

/// Builds booleans that say which of `labels` are not `ignored`.
mlir::Value buildCountedMask(mlir::Value labels, int64_t ignored, DecompositionBuilder &builder);

/// Replaces the losses of samples whose boolean in `counted` is false by zero.
mlir::Value maskLosses(mlir::Value losses, mlir::Value counted, DecompositionBuilder &builder);

/// Reduces all elements of `value` to one.
mlir::Value reduceAll(ReduceOpKind kind, mlir::Value value, DecompositionBuilder &builder);

} // namespace pcc::graph
