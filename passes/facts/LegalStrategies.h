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
// A strategy is legal if each count divides its factor, factors that must stay whole have 1, and
// the blocks are contiguous: in a dimension of several factors, one is split only if those before
// it are split to their ends. So reshape 6x4 -> 2x3x4, ([i.j,k]) -> ([i,j,k]), has j = 3 with i = 2
// alone. On D devices the product of the counts divides D; the devices left over repeat.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/Operation.h"
#include <vector>

namespace pcc::facts {

/// Which strategies are kept.
enum class DeviceUse {
  Any, ///< all
  Full ///< those that leave no device over, and the one that splits nothing
};

/// Strategies one after the other in one array: few bytes each, found by number.
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

/// What decides which counts the factors of one op may have.
class StrategySpace {
public:
  /// Of `op`, which has a factor rule.
  explicit StrategySpace(mlir::Operation *op);

  const FactorRule &getRule() const { return rule; }
  /// All legal strategies on `devices`, at least one, ascending: the last factor counts fastest.
  StrategyList list(int64_t devices, DeviceUse use = DeviceUse::Any) const;

private:
  /// The counts of `back`, if above one, want `front` split to its end.
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

/// Into how many parts each dimension of a tensor is cut, by the counts of the factors.
llvm::SmallVector<int64_t, 4> projectCounts(const TensorFactors &dims,
                                            llvm::ArrayRef<int64_t> counts);

} // namespace pcc::facts
