// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two matmuls of an attention around its softmax, and the masks between them:
//
//   scores  = query · keyᵀ
//   weights = softmax(scores [* or / numbers] [masks] [casts, reshapes of heads])
//   result  = weights [0 where NaN] [casts, reshapes of heads] · value
//
// A matmul that only looks like an attention has a reason, which tells the user what to change.
//
// Masks are numbers that are added to the scores, and booleans that replace scores. Scores are
// [batch, heads, positions of the query, positions of the key]. A row is one position of the query.
// A mask hides a position of the key if its score there is at most maxHiddenScore; other positions
// are visible. A row without a visible position is fully masked.
#pragma once

#include "passes/graph/Match.h"

namespace pcc::graph {

/// Upper bound of scores whose exponentials are 0 beside others. Files write such numbers for -∞.
constexpr double maxHiddenScore = -1e4;

/// A term of the scores.
struct Mask {
  mlir::Value value;      ///< numbers to add, or booleans, perhaps repeated
  bool hidesTrue = false; ///< for booleans: whether true hides
  double hidden = 0.0;    ///< for booleans: the score of hidden positions
  double factor = 1.0;    ///< by which numbers are multiplied
  bool isBoolean() const { return typeOf(value).getElementType().isInteger(1); }
};

/// The operands of an attention that stand for all masks.
struct Masking {
  mlir::Value mask, offset;
  mlir::Value
      rowHasVisible; ///< numbers above 0 for rows with a visible position; null: every row has one
  bool causal = false;
};

/// The masks of one attention.
class Masks {
public:
  /// `scores`: the shape of the scores, of rank 4. `element`: the element type of the query.
  Masks(llvm::ArrayRef<Mask> masks, llvm::ArrayRef<int64_t> scores, mlir::Type element);
  ~Masks();

  /// Returns why an attention with these masks would differ from the scores' softmax; empty if it
  /// does not. Only fully masked rows may differ. An attention yields 0 for them if their scores
  /// are -∞, and what the softmax yields if finite numbers are added.
  std::string findObstacle() const;

  /// Returns whether constant masks amount to nothing, or to the flag `causal`.
  bool isFlag() const;

  /// Makes the operands of the attention. A select by a finite number gives a fully masked row
  /// equal weights, and its query no gradient. An attention does the same if its query is 0 in rows
  /// for which `rowHasVisible` is not above 0.
  Masking build(mlir::PatternRewriter &rewriter, mlir::Location loc) const;

private:
  struct Term;
  bool mayBeCausal(const Term &term) const;
  bool replacesWholeRows() const;

  llvm::SmallVector<int64_t> scores;
  mlir::Type element;
  std::vector<Term> terms;
  bool everyRowHasVisible = false; ///< whether it is proved that no row is fully masked
};

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
