// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two matmuls of an attention around its softmax:
//
//   scores  = query · keyᵀ
//   weights = softmax(scores [* or / numbers] [masks] [casts, reshapes of heads])
//   result  = weights [0 where NaN] [casts, reshapes of heads] · value
//
// A matmul that only looks like an attention has a reason, which tells the user what to change.
#pragma once

#include "passes/graph/AttentionMasks.h"

namespace pcc::graph {

/// The operands of a matched attention: query, key and value of rank 4.
struct AttentionMatch {
  mlir::Value query, key, value;
  double scale = 1.0;
  llvm::SmallVector<Mask, 2> masks;
};

/// Returns the softmax whose result `op` multiplies with values, up to a cast, a reshape of the
/// heads and a guard against NaN; null if there is none.
SoftmaxOp findWeights(MatmulOp op);

/// Prepares grouped-query attention: replaces `key` and `value`, both of rank 4, by their heads
/// before the repetition for groups. Returns false, and changes nothing, unless both repeat equally
/// many heads.
bool takeGroups(mlir::Value &key, mlir::Value &value, mlir::PatternRewriter &rewriter);

/// Matches the attention that ends in `op`. If there is a softmax between two matmuls that is no
/// attention, `obstacle` says why. A match makes reshapes and transposes before the insertion
/// point; otherwise nothing is made.
std::optional<AttentionMatch> matchAttention(MatmulOp op, mlir::PatternRewriter &rewriter,
                                             std::string &obstacle);

} // namespace pcc::graph
