// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of one op's operands and results, derived from the splits of its factors.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//     i over dp             [dp, _], [_, _] -> [dp, _]
//     k over tp             [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//   add ([i,j],[i,j]) -> ([i,j]) {linear: (0,1)}
//     operand 0 partial     [_, _] partial(sum: tp), [_, _] partial(sum: tp) -> the same
//
// A partial operand may stay partial if the op is linear in it: the op carries it, and the result
// is partial as well. Another operand of the same linear set then enters the sum once, on the ranks
// at coordinate 0 of the partial axes. An op that does not carry an operand requires the sum.
#pragma once

#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "passes/analysis/sharding/OpShapes.h"
#include "passes/strategy/propagate/FactorAxes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace pcc::strategy {

/// Shardings that an op requires of its operands, and shardings of its results.
struct OpSharding {
  std::vector<dist::Sharding> operands, results;

  bool operator==(const OpSharding &) const = default;
};

/// Returns the shapes of the blocks of an op's operands and results.
analysis::OpShapes getLocalShapes(mlir::Operation *op, const OpSharding &sharding,
                                  const dist::Mesh &mesh);

/// Mesh axes that the split of an op takes from one of its neighbors.
struct Contribution {
  dist::AxisList axes;
  std::optional<unsigned> operand = std::nullopt; ///< absent: from a wanted result
  /// Index of the form that is followed: of the operand's forms, or of the wanted results.
  std::optional<unsigned> form = std::nullopt;
};

/// A split of an op, and where it comes from.
struct OpSplit {
  OpSharding sharding;
  std::vector<Contribution> contributions;
};

/// Returns the shardings of `op` split by `factors`. The operands arrive as `operands`. A partial
/// operand stays partial if `mayCarry` permits it and the op's rule allows it.
OpSharding makeOpSharding(mlir::Operation *op, const FactorAxes &factors,
                          llvm::ArrayRef<dist::Sharding> operands, llvm::ArrayRef<bool> mayCarry);

/// Chooses the cheapest split of one op for given shardings of its operands.
///
///   op       ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}     8x64, 64x64 on tp=4
///   given    [tp, _] and [tp, _]
///   follow operand 0   i over tp; operand 1 gathered       3072 elements
///   follow operand 1   k over tp; operand 0 exchanged, the result partial    384 + 768 elements
///
/// The cost of a split is the seconds of its reshards, of the reduction of its result, and of the
/// op on local shapes. Without a machine it is counted in bytes: those that are moved, plus the
/// op's operations divided by a fixed number of operations per byte.
class OpSplitter {
public:
  OpSplitter(mlir::Operation *op, analysis::ReshardPlanCache &planCache)
      : op(op), planCache(planCache), mesh(planCache.getMesh()) {}

  /// Sets the sharding in which an operand is produced. Operands that are not set arrive in the
  /// sharding that the op requires. `forms` are the shardings in which other ops take the operand.
  /// They cost nothing, because a value is resharded once for all its users.
  void setOperand(unsigned operand, const dist::Sharding &made,
                  llvm::ArrayRef<dist::Sharding> forms = {});
  /// Adds a sharding in which users take the first result. It has no partial axes.
  void addWanted(const dist::Sharding &sharding) { wantedResults.push_back(sharding); }

  /// Forbids carrying: partial operands are summed before the op.
  void forbidCarrying() { carries = false; }
  /// Declares that the result leaves the function partial and is not summed, whatever its size.
  void leavePartial() { isSummed = false; }

  /// Returns the cheapest split that follows one operand or wanted result, then the remaining
  /// sources as far as they are compatible.
  OpSplit choose() const;
  /// Returns the split by given axes of the factors.
  OpSharding follow(llvm::ArrayRef<dist::AxisList> factors) const;

private:
  struct Known {
    dist::Sharding made;
    std::vector<dist::Sharding> forms;
  };

  /// Operand or wanted result that a split can follow.
  struct Source {
    std::optional<unsigned> operand;
    dist::Sharding sharding;
    int64_t bytes;
    std::optional<unsigned> form = std::nullopt; ///< as in Contribution
  };

  std::vector<Source> listSources() const;
  static void take(const Source &source, FactorAxes &factors);
  FactorAxes followFrom(llvm::ArrayRef<Source> sources, size_t first) const;
  std::vector<Contribution> listContributions(llvm::ArrayRef<Source> sources, size_t first,
                                              const OpSharding &sharding) const;
  OpSharding assemble(const FactorAxes &factors) const;
  double getCost(const FactorAxes &factors, const OpSharding &sharding) const;
  double getWorkCost(const FactorAxes &factors, const OpSharding &sharding) const;
  double getOperandCost(unsigned operand, const dist::Sharding &wanted) const;
  double getReshardCost(mlir::Value value, const dist::Sharding &from,
                        const dist::Sharding &to) const;
  bool mayCarry(unsigned operand) const;

  mlir::Operation *op;
  analysis::ReshardPlanCache &planCache;
  const dist::Mesh &mesh;
  std::vector<std::optional<Known>> operands;
  std::vector<dist::Sharding> wantedResults;
  bool carries = true, isSummed = true;
};

//===-- CarriedSums.cpp -----------------------------------------------------------------------===//

// Follows partial sums through the ops that carry them. An op carries a partial sum if its result
// is partial because an operand is. That pays if the sum joins another partial sum before it is
// reduced: then one reduction serves both. A carrying op without this benefit is called unjoined.
//
//   p = matmul         partial
//   q = add(p, bias)   carries p beside bias    unjoined: bias enters once, and nothing is gained
//   r = relu(q)        needs the sum
//
//   s = add(p1, w)     carries p1 beside w      joined: two sums are reduced as one
//   t = add(s, p2)     joins another sum
//   u = relu(t)        needs the sum

class CarriedSums {
public:
  /// Visits a use of `value` that takes the partial sum or needs the complete sum. Must precede
  /// visitOp of the user.
  void visitUse(mlir::Value value, bool isPartial);
  /// Visits the next op in program order. `isPartial` tells whether a value is a partial sum.
  void visitOp(mlir::Operation *op, const OpSharding &sharding,
               llvm::function_ref<bool(mlir::Value)> isPartial);

  /// Whether `op` carries a partial sum that joins no other before the complete sum is needed.
  bool isUnjoined(mlir::Operation *op) const { return unjoined.contains(op); }

private:
  /// Properties of a partial value.
  struct Sum {
    int joined = 1; ///< number of partial sums added together
    /// Ops that carried the sum beside a value that is no partial sum, and ops that followed them.
    llvm::SmallVector<mlir::Operation *, 4> ops;
  };

  llvm::DenseMap<mlir::Value, Sum> sums;
  llvm::SmallPtrSet<mlir::Operation *, 8> unjoined;
};

} // namespace pcc::strategy
