// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes softmax and its logarithm into core ops: for all classes, and for one rank's block of
// them, whose reductions continue over the other blocks.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"

namespace pcc::graph {

/// Completes a reduction, a maximum or a sum, over a rank's block of the classes: combines it with
/// those of the ranks that have the other blocks. Returns its operand if the classes are not split.
using JoinBlocks = llvm::function_ref<mlir::Value(ReduceOpKind, mlir::Value)>;

/// The JoinBlocks of classes that are not split: one block has all of them.
inline mlir::Value joinOneBlock(ReduceOpKind, mlir::Value block) { return block; }

/// Builds the softmax of `input` along `axis`.
mlir::Value buildSoftmax(mlir::Value input, int64_t axis, DecompositionBuilder &builder,
                         JoinBlocks joinBlocks);

/// Builds the logarithm of the softmax, without overflow.
mlir::Value buildLogSoftmax(mlir::Value input, int64_t axis, DecompositionBuilder &builder,
                            JoinBlocks joinBlocks);

} // namespace pcc::graph
