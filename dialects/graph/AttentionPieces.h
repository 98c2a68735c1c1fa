// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and the embedding of positions as core ops. Attention makes all its scores here,
// [batch, heads, positions of the query, positions of the key]; the heads of a group lie one below
// the other in one matrix, so that keys and values are not repeated.
#pragma once

#include "dialects/graph/PieceBuilder.h"

namespace pcc::graph {

/// What both `attention` and its gradient are given.
struct AttentionOperands {
  mlir::Value query, key, value;
  mlir::Value mask;   ///< null: none
  mlir::Value offset; ///< null: the key's positions less the query's
  double scale;
  bool causal;

  template <typename Op>
  explicit AttentionOperands(Op op)
      : query(op.getQuery()), key(op.getKey()), value(op.getValue()), mask(op.getMask()),
        offset(op.getOffset()), scale(op.getScale().convertToDouble()), causal(op.getCausal()) {}

  /// Whether some row may see nothing, as far as sizes tell.
  bool mayBeBlind() const;
};

/// `result` and `log_sum`.
Pieces buildAttention(const AttentionOperands &operands, PieceBuilder &builder);

/// The gradients of one attention.
struct AttentionGradients {
  mlir::Value query, key, value;
  mlir::Value scores; ///< of the masked scores, in f32
};

/// From the gradients of `result` and, where it is not null, of `logSum`.
AttentionGradients buildAttentionGradients(const AttentionOperands &operands, mlir::Value result,
                                           mlir::Value logSum, mlir::Value gradient,
                                           mlir::Value logSumGradient, PieceBuilder &builder);

/// The halves u and v of the pairs that a rotary embedding rotates, each [batch, heads, positions,
/// width / 2], and back.
std::pair<mlir::Value, mlir::Value> splitPairs(mlir::Value input, bool interleaved,
                                               PieceBuilder &builder);
mlir::Value joinPairs(mlir::Value u, mlir::Value v, bool interleaved, PieceBuilder &builder);

/// `angles` of a rotary embedding repeated in the shape of half its input.
mlir::Value repeatAngles(mlir::Value angles, mlir::Value half, PieceBuilder &builder);

} // namespace pcc::graph
