// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates counts factor by factor, depth first, with the devices that are left. An order between
// two factors is checked at the later one, so that illegal prefixes are cut off early.
#include "passes/analysis/sharding/LegalStrategies.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::analysis {

StrategySpace::StrategySpace(Operation *op)
    : rule(cast<FactorRuleOpInterface>(op).getFactorRule()), orders(rule.getFactors().size()) {
  for (unsigned factor = 0; factor < rule.getFactors().size(); ++factor)
    isSplittable.push_back(analysis::isSplittable(op, rule, factor));
  for (const TensorFactors &dims :
       llvm::concat<const TensorFactors>(rule.getOperands(), rule.getResults()))
    addOrders(dims);
}

void StrategySpace::addOrders(const TensorFactors &dims) {
  for (const DimFactors &dim : dims)
    for (size_t back = 1; back < dim.size(); ++back)
      for (size_t front = 0; front < back; ++front)
        orders[std::max(dim[front], dim[back])].push_back({dim[front], dim[back]});
}

/// Checks the orders whose later factor is `factor`; the counts up to `factor` decide them.
bool StrategySpace::keepsOrders(ArrayRef<int64_t> counts, unsigned factor) const {
  return llvm::all_of(orders[factor], [&](Order order) {
    return counts[order.back] == 1 || counts[order.front] == rule.getFactor(order.front).size;
  });
}

/// Enumerates the counts factor by factor.
struct StrategySpace::Lister {
  const StrategySpace &space;
  int64_t devices;
  DeviceUse use;
  SmallVector<SmallVector<int64_t, 8>> choices; ///< by factor, ascending
  SmallVector<int64_t> counts;
  StrategyList found;

  Lister(const StrategySpace &space, int64_t devices, DeviceUse use)
      : space(space), devices(devices), use(use), counts(space.isSplittable.size(), 1),
        found(space.isSplittable.size()) {
    for (auto [isSplittable, factor] :
         llvm::zip_equal(space.isSplittable, space.rule.getFactors())) {
      SmallVector<int64_t, 8> &choice = choices.emplace_back(1, 1);
      for (int64_t count = 2; isSplittable && count <= std::min(devices, factor.size); ++count)
        if (devices % count == 0 && factor.size % count == 0)
          choice.push_back(count);
    }
  }

  /// Enumerates every choice for the factors from `factor` on; the factors before it leave `left`
  /// devices.
  void extend(unsigned factor, int64_t left) {
    if (factor == counts.size()) {
      if (use == DeviceUse::Any || left == 1 || left == devices)
        found.push_back(counts);
      return;
    }
    for (int64_t count : choices[factor]) {
      counts[factor] = count;
      if (left % count == 0 && space.keepsOrders(counts, factor))
        extend(factor + 1, left / count);
    }
  }
};

StrategyList StrategySpace::list(int64_t devices, DeviceUse use) const {
  Lister lister(*this, devices, use);
  lister.extend(/*factor=*/0, /*left=*/devices);
  return std::move(lister.found);
}

SmallVector<int64_t, 4> projectCounts(const TensorFactors &dims, ArrayRef<int64_t> counts) {
  SmallVector<int64_t, 4> projected;
  for (const DimFactors &dim : dims) {
    int64_t &product = projected.emplace_back(1);
    for (unsigned factor : dim)
      product *= counts[factor];
  }
  return projected;
}

} // namespace pcc::analysis
