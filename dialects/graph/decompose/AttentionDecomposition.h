// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes attention and the rotary position embedding into core ops. Attention holds all its
// scores, [batch, heads, positions of the query, positions of the key]. The heads of a group are
// stacked in one matrix, so that keys and values are not repeated.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"

namespace pcc::graph {

/// Operands and attributes that `attention` and its gradient share.
struct AttentionOperands {
  mlir::Value query, key, value;
  mlir::Value mask;   ///< null: none
  mlir::Value offset; ///< null: key positions minus query positions
  double scale;
  bool causal;

  template <typename Op>
  explicit AttentionOperands(Op op)
      : query(op.getQuery()), key(op.getKey()), value(op.getValue()), mask(op.getMask()),
        offset(op.getOffset()), scale(op.getScale().convertToDouble()), causal(op.getCausal()) {}

  /// Returns whether some row may be fully masked, judging by sizes and by whether a mask exists.
  bool mayBeFullyMasked() const;
};

/// Builds `result` and `log_sum`.
Decomposition buildAttention(const AttentionOperands &operands, DecompositionBuilder &builder);

/// The gradients of one attention.
struct AttentionGradients {
  mlir::Value query, key, value;
  mlir::Value scores; ///< gradient of the masked scores, in f32
};

/// Builds the gradients of the operands. `gradient` is the gradient of `result`; `logSumGradient`
/// is that of `logSum`, null if there is none.
AttentionGradients buildAttentionGradients(const AttentionOperands &operands, mlir::Value result,
                                           mlir::Value logSum, mlir::Value gradient,
                                           mlir::Value logSumGradient,
                                           DecompositionBuilder &builder);

/// Splits `input` into the halves u and v of the pairs that a rotary embedding rotates, each
/// [batch, heads, positions, width / 2]. joinPairs is the inverse.
std::pair<mlir::Value, mlir::Value> splitPairs(mlir::Value input, bool interleaved,
                                               DecompositionBuilder &builder);
mlir::Value joinPairs(mlir::Value u, mlir::Value v, bool interleaved,
                      DecompositionBuilder &builder);

/// Repeats the `angles` of a rotary embedding to the shape of half its input.
mlir::Value repeatAngles(mlir::Value angles, mlir::Value half, DecompositionBuilder &builder);

} // namespace pcc::graph
