// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/FactorAxes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

FactorAxes::FactorAxes(const FactorRule &rule, const dist::Mesh &mesh, ArrayRef<bool> isSplittable)
    : rule(rule), mesh(mesh), isSplittable(isSplittable), axes(rule.getFactors().size()) {}

bool FactorAxes::uses(StringRef axis) const {
  return any_of(axes, [&](const AxisList &list) { return is_contained(list, axis); });
}

bool FactorAxes::isFilled(unsigned factor) const {
  return mesh.getSize(axes[factor]) == rule.getFactor(factor).size;
}

/// Goes through the axes and the factors of a dimension together, slowest first.
void FactorAxes::takeDim(const DimFactors &factors, const AxisList &wanted) {
  const unsigned *factor = factors.begin();
  for (auto [index, axis] : enumerate(wanted)) {
    while (factor != factors.end() && isFilled(*factor))
      ++factor;
    if (factor == factors.end() || !isSplittable[*factor])
      return;
    AxisList &taken = axes[*factor];
    if (is_contained(taken, axis))
      continue;
    int64_t count = mesh.getSize(taken) * mesh.getSize(StringRef(axis));
    if (uses(axis) || rule.getFactor(*factor).size % count)
      return;
    taken.push_back(axis);
  }
}

void FactorAxes::take(const TensorFactors &dims, const Sharding &sharding) {
  for (auto [factors, wanted] : zip_equal(dims, sharding.getDims()))
    takeDim(factors, wanted);
}

bool FactorAxes::settleDim(const DimFactors &factors) {
  bool changed = false, mayBeSplit = true;
  for (unsigned factor : factors) {
    if (!mayBeSplit && !axes[factor].empty()) {
      axes[factor].clear();
      changed = true;
    }
    mayBeSplit &= isFilled(factor);
  }
  return changed;
}

void FactorAxes::settle() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const TensorFactors &dims :
         concat<const TensorFactors>(rule.getOperands(), rule.getResults()))
      for (const DimFactors &factors : dims)
        changed |= settleDim(factors);
  }
}

Sharding FactorAxes::project(const TensorFactors &dims) const {
  SmallVector<AxisList, 4> cuts;
  for (const DimFactors &factors : dims) {
    AxisList &cut = cuts.emplace_back();
    for (unsigned factor : factors)
      cut.append(axes[factor]);
  }
  return Sharding(cuts);
}

} // namespace pcc::strategy
