// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its cross entropy as core ops. They are needed twice, for all classes and for one
// rank's block of them, whose reductions go on over the other blocks.
#pragma once

#include "dialects/graph/PieceBuilder.h"

namespace pcc::graph {

/// From a reduction over one block of the classes, a maximum or a sum, to that over all of them.
using JoinBlocks = llvm::function_ref<mlir::Value(ReduceOpKind, mlir::Value)>;

/// Softmax of `input` along `axis`.
mlir::Value buildSoftmax(mlir::Value input, int64_t axis, PieceBuilder &builder,
                         JoinBlocks joinBlocks);

/// Its logarithm, without overflow.
mlir::Value buildLogSoftmax(mlir::Value input, int64_t axis, PieceBuilder &builder,
                            JoinBlocks joinBlocks);

/// -Σ weights · log softmax along the last dimension of `logits`, one number per sample. A label
/// outside the classes weighs none.
mlir::Value buildSampleLosses(mlir::Value logits, mlir::Value weights, PieceBuilder &builder,
                              JoinBlocks joinBlocks);

/// Which of `labels` are not `ignored`, as booleans.
mlir::Value buildKept(mlir::Value labels, int64_t ignored, PieceBuilder &builder);

/// The losses whose samples are `kept`, zero for the others.
mlir::Value keepLosses(mlir::Value losses, mlir::Value kept, PieceBuilder &builder);

/// All elements of `value` as one.
mlir::Value reduceAll(ReduceOpKind kind, mlir::Value value, PieceBuilder &builder);

} // namespace pcc::graph
