// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes losses of samples into core ops, and masks and reduces them.
#pragma once

#include "dialects/graph/decompose/SoftmaxDecomposition.h"

namespace pcc::graph {

/// Builds -Σ weights · log softmax along the last dimension of `logits`, one number per sample. A
/// label outside the classes gives no class a weight.
mlir::Value buildSampleLosses(mlir::Value logits, mlir::Value weights,
                              DecompositionBuilder &builder, JoinBlocks joinBlocks);

/// Builds the mask of counted samples: booleans that say which of `labels` are not `ignored`, the
/// label of samples without a loss.
mlir::Value buildCountedMask(mlir::Value labels, int64_t ignored, DecompositionBuilder &builder);

/// Replaces by zero the losses of samples that `counted` leaves out.
mlir::Value maskLosses(mlir::Value losses, mlir::Value counted, DecompositionBuilder &builder);

/// Reduces all elements of `value` to one.
mlir::Value reduceAll(ReduceOpKind kind, mlir::Value value, DecompositionBuilder &builder);

} // namespace pcc::graph
