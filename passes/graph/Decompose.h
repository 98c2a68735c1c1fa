// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompositions of composites, one function per op. Each function gets a builder that stands
// before the op, and returns the values that replace the op's results. The decompositions of
// optimizer steps are in dialects/graph/OptimizerPieces.h, because partition needs one of them too.
#pragma once

#include "dialects/graph/OptimizerPieces.h"

namespace pcc::graph {

Pieces decompose(GeluOp op, PieceBuilder &builder);
Pieces decompose(SiluOp op, PieceBuilder &builder);
Pieces decompose(SoftplusOp op, PieceBuilder &builder);
Pieces decompose(EluOp op, PieceBuilder &builder);
Pieces decompose(LeakyReluOp op, PieceBuilder &builder);
Pieces decompose(ClampOp op, PieceBuilder &builder);
Pieces decompose(SoftmaxOp op, PieceBuilder &builder);
Pieces decompose(SoftmaxCrossEntropyOp op, PieceBuilder &builder);
Pieces decompose(NllOp op, PieceBuilder &builder);
Pieces decompose(MseOp op, PieceBuilder &builder);
Pieces decompose(SigmoidCrossEntropyOp op, PieceBuilder &builder);
Pieces decompose(LogSoftmaxOp op, PieceBuilder &builder);
Pieces decompose(LayerNormOp op, PieceBuilder &builder);
Pieces decompose(RmsNormOp op, PieceBuilder &builder);
Pieces decompose(BatchNormOp op, PieceBuilder &builder);
Pieces decompose(BatchNormInferenceOp op, PieceBuilder &builder);
Pieces decompose(DropoutOp op, PieceBuilder &builder);
Pieces decompose(EinsumOp op, PieceBuilder &builder);
Pieces decompose(ArgmaxOp op, PieceBuilder &builder);
Pieces decompose(ArgminOp op, PieceBuilder &builder);
Pieces decompose(TopKOp op, PieceBuilder &builder);
Pieces decompose(CumsumOp op, PieceBuilder &builder);
Pieces decompose(AttentionOp op, PieceBuilder &builder);
Pieces decompose(AttentionGradientOp op, PieceBuilder &builder);
Pieces decompose(RotaryEmbeddingOp op, PieceBuilder &builder);

} // namespace pcc::graph
