// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompositions of composites, one function per op. Each function gets a builder that stands
// before the op, and returns the values that replace the op's results. The ops of a decomposition
// are core ops: none of them is a composite.
#pragma once

#include "dialects/graph/decompose/OptimizerDecomposition.h"

namespace pcc::graph {

Decomposition decompose(GeluOp op, DecompositionBuilder &builder);
Decomposition decompose(SiluOp op, DecompositionBuilder &builder);
Decomposition decompose(SoftplusOp op, DecompositionBuilder &builder);
Decomposition decompose(EluOp op, DecompositionBuilder &builder);
Decomposition decompose(LeakyReluOp op, DecompositionBuilder &builder);
Decomposition decompose(ClampOp op, DecompositionBuilder &builder);
Decomposition decompose(SoftmaxOp op, DecompositionBuilder &builder);
Decomposition decompose(SoftmaxCrossEntropyOp op, DecompositionBuilder &builder);
Decomposition decompose(NllOp op, DecompositionBuilder &builder);
Decomposition decompose(MseOp op, DecompositionBuilder &builder);
Decomposition decompose(SigmoidCrossEntropyOp op, DecompositionBuilder &builder);
Decomposition decompose(LogSoftmaxOp op, DecompositionBuilder &builder);
Decomposition decompose(LayerNormOp op, DecompositionBuilder &builder);
Decomposition decompose(RmsNormOp op, DecompositionBuilder &builder);
Decomposition decompose(BatchNormOp op, DecompositionBuilder &builder);
Decomposition decompose(BatchNormInferenceOp op, DecompositionBuilder &builder);
Decomposition decompose(DropoutOp op, DecompositionBuilder &builder);
Decomposition decompose(EinsumOp op, DecompositionBuilder &builder);
Decomposition decompose(ArgmaxOp op, DecompositionBuilder &builder);
Decomposition decompose(ArgminOp op, DecompositionBuilder &builder);
Decomposition decompose(TopKOp op, DecompositionBuilder &builder);
Decomposition decompose(CumsumOp op, DecompositionBuilder &builder);
Decomposition decompose(AttentionOp op, DecompositionBuilder &builder);
Decomposition decompose(AttentionGradientOp op, DecompositionBuilder &builder);
Decomposition decompose(RotaryEmbeddingOp op, DecompositionBuilder &builder);

/// Decomposes an op of one kind.
using DecomposeFunction = Decomposition (*)(mlir::Operation *, DecompositionBuilder &);

/// Returns the function for ops of this name, such as `graph.gelu`. Returns null if these are core
/// ops.
DecomposeFunction findDecomposition(llvm::StringRef name);

} // namespace pcc::graph
