// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor rule of an op: the factors that make up the dimensions of its operands and results.
//
//   op                        rule
//   matmul                    ([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)}
//   add                       ([i,j],[i,j]) -> ([i,j]) {linear: (0,1)}
//   reshape 6x4 -> 2x3x4      ([i.j,k]) -> ([i,j,k]) {linear any: (0)}
//   reduce max along axis 1   ([i,j]) -> ([i]) {reduce j: max} {linear max: (0)}
//   softmax along axis 1      ([i,j]) -> ([i,j]) {whole j}
//   scatter_add along axis 0  ([i,j],[k],[k,j]) -> ([i,j]) {reduce k: sum} {whole i}
//                                 {linear: (0,2)}
//   avg_pool                  ([i,j,k,l]) -> ([i,j,k,l]) {window k, l} {linear: (0)}
//
// A dimension of size one has no factor and prints as `_`. A whole factor on one side only (the
// axis of a slice before and after) says that only a local form splits this dimension. A window
// factor is the only factor of dimensions that are cut together although their sizes may differ
// (the rows of an image before and after pooling with stride 2). Its size divides all of them, and
// so do its blocks.
//
// This one rule gives the legal strategies of an op, propagation, the local form, the forward
// collective (a split reduce factor leaves a partial result) and the cost.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace pcc {

/// Reduction of the values of several ranks, or of one dimension.
enum class ReduceKind { Sum, Max, Min, Prod };

/// Returns the lower-case name used in all textual forms: sum, max, min, prod.
llvm::StringRef stringify(ReduceKind kind);

/// Effect of splitting a factor.
enum class FactorKind {
  Parallel, ///< every block of the result needs only the same block of the operands
  Reduce,   ///< summed (or max, min, prod) away: splitting it leaves a partial result
  Whole,    ///< split only by a local form (LocalFormOpInterface::canSplitWhole)
  Window,   ///< may be split with a halo exchanged between neighbors
};

/// One factor: its letter in the text form, its size in elements and its kind.
struct Factor {
  std::string name;
  int64_t size = 1;
  FactorKind kind = FactorKind::Parallel;
  ReduceKind reduce = ReduceKind::Sum; ///< meaningful for Reduce only
};

/// The factors of one dimension, slowest first; empty for a dimension of size one or one that is
/// broadcast. More than one factor means a compound dimension (reshape).
using DimFactors = llvm::SmallVector<unsigned, 2>;

/// The factors of each dimension of one tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// Operands through which a partial value passes, all of them at once: op(Σx, Σy) = Σ op(x, y). An
/// operand of the set that is not partial must enter once (one rank keeps it, the others hold the
/// neutral element). The same holds if a reduce factor is split that another operand of the set has
/// and this one lacks (scatter_add's input next to split updates). Operands outside the set enter
/// on every rank.
struct LinearSet {
  llvm::SmallVector<unsigned, 2> operands;
  ReduceKind kind = ReduceKind::Sum;
};

/// A factor rule as a value: cheap to copy, compared by content, built once per op by its interface
/// method.
class FactorRule {
public:
  /// Adds a factor and returns its index; the names i, j, k, … are given in order of creation.
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::Parallel,
                     ReduceKind reduce = ReduceKind::Sum);
  /// Returns a dimension made of one new factor, or of none if its size is one.
  DimFactors addDim(int64_t size, FactorKind kind = FactorKind::Parallel,
                    ReduceKind reduce = ReduceKind::Sum);
  void addOperand(TensorFactors dims) { operands.push_back(std::move(dims)); }
  void addResult(TensorFactors dims) { results.push_back(std::move(dims)); }
  void addLinear(llvm::ArrayRef<unsigned> operandSet, ReduceKind kind = ReduceKind::Sum);
  /// Adds the same set for all four kinds, for ops that only move elements.
  void addLinearAnyKind(llvm::ArrayRef<unsigned> operandSet);

  llvm::ArrayRef<Factor> getFactors() const { return factors; }
  Factor &getFactor(unsigned index) { return factors[index]; }
  const Factor &getFactor(unsigned index) const { return factors[index]; }
  llvm::ArrayRef<TensorFactors> getOperands() const { return operands; }
  llvm::ArrayRef<TensorFactors> getResults() const { return results; }
  llvm::ArrayRef<LinearSet> getLinear() const { return linear; }

  /// Returns the rule of every elementwise op: one factor per dimension of `shape`, shared by
  /// `numOperands` operands and `numResults` results. Dimensions of size one get no factor.
  static FactorRule pointwise(llvm::ArrayRef<int64_t> shape, unsigned numOperands,
                              unsigned numResults = 1);

  /// Returns an empty string if every dimension is the product of its factors' sizes, else what is
  /// wrong (lower case, naming the operand or result and the dimension). `operandShapes` and
  /// `resultShapes` are those of the op.
  std::string verify(llvm::ArrayRef<llvm::ArrayRef<int64_t>> operandShapes,
                     llvm::ArrayRef<llvm::ArrayRef<int64_t>> resultShapes) const;

  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorFactors, 3> operands;
  llvm::SmallVector<TensorFactors, 1> results;
  llvm::SmallVector<LinearSet, 2> linear;
};

} // namespace pcc
