// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The legal strategies of one op: a shard count for each factor of its rule.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}, sizes 4, 6, 4 (i, k, j), on 4 devices
//     i k j
//     1 1 1    every device does the same
//     1 1 2    pairs of devices do the same
//     1 1 4
//     1 2 1    the result is partial
//     1 2 2
//     2 1 1
//     2 1 2
//     2 2 1
//     4 1 1
//   not k = 4, which does not divide 6
//
// A strategy is legal if each count divides its factor, factors that must stay whole have count 1,
// and the blocks are contiguous. In a dimension of several factors, a factor is split only if the
// factors before it are split to their ends. So reshape 6x4 -> 2x3x4, ([i.j,k]) -> ([i,j,k]), has j
// = 3 only with i = 2. On D devices the product of the counts divides D; the remaining devices
// repeat the work.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/Operation.h"
#include <vector>

namespace pcc::analysis {

/// Selects which strategies are kept.
enum class DeviceUse {
  Any, ///< all strategies
  Full ///< strategies that use all devices, and the one that splits nothing
};

/// Strategies in one array, found by number, with few bytes each.
class StrategyList {
public:
  explicit StrategyList(size_t numFactors) : numFactors(numFactors) {}

  size_t size() const { return numStrategies; }
  /// The counts of strategy `index`, by factor.
  llvm::ArrayRef<int64_t> operator[](size_t index) const {
    return llvm::ArrayRef(counts).slice(index * numFactors, numFactors);
  }
  void push_back(llvm::ArrayRef<int64_t> strategy) {
    counts.insert(counts.end(), strategy.begin(), strategy.end());
    ++numStrategies;
  }

private:
  size_t numFactors, numStrategies = 0;
  std::vector<int64_t> counts;
};

/// Determines which counts the factors of one op may have.
class StrategySpace {
public:
  /// `op` must have a factor rule.
  explicit StrategySpace(mlir::Operation *op);

  const FactorRule &getRule() const { return rule; }
  /// Returns all legal strategies on `devices`, at least one, in ascending order: the last factor
  /// varies fastest.
  StrategyList list(int64_t devices, DeviceUse use = DeviceUse::Any) const;

private:
  /// If the count of `back` is above one, `front` must be split to its end.
  struct Order {
    unsigned front, back;
  };
  struct Lister;

  void addOrders(const TensorFactors &dims);
  bool keepsOrders(llvm::ArrayRef<int64_t> counts, unsigned factor) const;

  FactorRule rule;
  llvm::SmallVector<bool> isSplittable;
  llvm::SmallVector<llvm::SmallVector<Order, 1>> orders; ///< by the later of the two factors
};

/// Returns the number of parts into which each dimension of a tensor is cut, by the counts of the
/// factors.
llvm::SmallVector<int64_t, 4> projectCounts(const TensorFactors &dims,
                                            llvm::ArrayRef<int64_t> counts);

} // namespace pcc::analysis
