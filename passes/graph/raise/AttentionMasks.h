// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The masks of an attention.
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

  /// Returns whether known masks amount to nothing, or to the flag `causal`.
  bool isFlag() const;

  /// Makes the operands of the attention. A select by a finite number gives a fully masked row
  /// equal weights, and its query no gradient. An attention does the same if its query is 0 in rows
  /// for which `rowHasVisible` is not above 0.
  Masking build(mlir::PatternRewriter &rewriter, mlir::Location loc) const;

private:
  struct Term;
  bool isOnlyDiagonal() const;
  bool mayBeCausal(const Term &term) const;
  bool replacesWholeRows() const;

  llvm::SmallVector<int64_t> scores;
  mlir::Type element;
  std::vector<Term> terms;
  bool everyRowHasVisible = false; ///< whether it is proved that no row is fully masked
};

/// A mask with one number beyond a diagonal of the scores, where the position of the key is greater
/// than that of the query plus `offset`, and another one elsewhere.
struct DiagonalMask {
  int64_t offset = 0;
  double beyond = 0.0, elsewhere = 0.0; ///< booleans are 0 and 1
};

/// Returns the form of `mask`, numbers or booleans that fit `scores` (Narrow.h), of rank 4. Returns
/// nothing for all other masks.
std::optional<DiagonalMask> findDiagonalMask(mlir::Value mask, llvm::ArrayRef<int64_t> scores);

} // namespace pcc::graph
