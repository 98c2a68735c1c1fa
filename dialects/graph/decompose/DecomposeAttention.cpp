// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes attention, its gradient and the embedding of positions into core ops.
#include "dialects/graph/decompose/AttentionDecomposition.h"
#include "dialects/graph/decompose/Decompose.h"

using namespace mlir;
using namespace pcc::graph;

Decomposition pcc::graph::decompose(AttentionOp op, DecompositionBuilder &builder) {
  return buildAttention(AttentionOperands(op), builder);
}

Decomposition pcc::graph::decompose(AttentionGradientOp op, DecompositionBuilder &builder) {
  AttentionGradients gradients =
      buildAttentionGradients(AttentionOperands(op), op.getResult(), op.getLogSum(),
                              op.getGradient(), /*logSumGradient=*/Value(), builder);
  return {gradients.query, gradients.key, gradients.value};
}

/// (u cos - v sin, u sin + v cos).
Decomposition pcc::graph::decompose(RotaryEmbeddingOp op, DecompositionBuilder &builder) {
  auto [u, v] = splitPairs(op.getInput(), op.getInterleaved(), builder);
  Value cosine = repeatAngles(op.getCosine(), u, builder);
  Value sine = repeatAngles(op.getSine(), u, builder);
  Value first = builder.make<SubOp>(builder.make<MulOp>(u, cosine), builder.make<MulOp>(v, sine));
  Value second = builder.make<AddOp>(builder.make<MulOp>(u, sine), builder.make<MulOp>(v, cosine));
  return {joinPairs(first, second, op.getInterleaved(), builder)};
}
