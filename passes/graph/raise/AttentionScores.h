// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two matmuls of an attention around its softmax, and the masks between them:
//
//   scores  = query [* or / numbers] · (key [* or / numbers])ᵀ
//   weights = softmax(scores [* or / numbers] [masks] [casts, reshapes of heads])
//   result  = weights [0 where NaN] [casts, reshapes of heads] · value
//
// A matmul that only looks like an attention has a reason, which tells the user what to change.
#pragma once

#include "passes/graph/raise/AttentionMasks.h"

namespace pcc::graph {

/// A matched attention. Query, key and value are those of the file, without numbers.
struct AttentionMatch {
  MatmulOp scores;
  mlir::Value query, key, value;
  bool transposesQuery = false, transposesKey = false, transposesValue = false;
  std::pair<int64_t, int64_t> heads; ///< batch and heads
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

/// Matches the attention that ends in `op`, and changes nothing. If there is a softmax between two
/// matmuls that is no attention, `obstacle` says why.
std::optional<AttentionMatch> matchAttention(MatmulOp op, std::string &obstacle);

/// Gives query, key and value of `match` the shape [batch, heads, positions, width], with heads
/// that are repeated for groups only once. Makes reshapes and transposes before the insertion
/// point.
void shapeOperands(AttentionMatch &match, mlir::PatternRewriter &rewriter);

} // namespace pcc::graph
