// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the axes of a dimension and its factors together: an axis goes to the first factor that is
// not yet split to single elements, if it divides the factor. Dropping a split may break another
// dimension, so settle() repeats until nothing changes.
#include "passes/strategy/propagate/FactorAxes.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

FactorAxes::FactorAxes(Operation *op, const dist::Mesh &mesh)
    : rule(cast<FactorRuleOpInterface>(op).getFactorRule()), mesh(&mesh),
      axes(rule.getFactors().size()) {
  for (unsigned factor = 0; factor < axes.size(); ++factor)
    isSplittable.push_back(analysis::isSplittable(op, rule, factor));
}

void FactorAxes::takeOperand(unsigned operand, const Sharding &sharding) {
  take(rule.getOperands()[operand], sharding);
}

void FactorAxes::takeResult(unsigned result, const Sharding &sharding) {
  take(rule.getResults()[result], sharding);
}

bool FactorAxes::uses(StringRef axis) const {
  return llvm::any_of(axes, [&](const AxisList &list) { return llvm::is_contained(list, axis); });
}

int64_t FactorAxes::getNumParts() const {
  int64_t parts = 1;
  for (const AxisList &list : axes)
    parts *= mesh->getSize(list);
  return parts;
}

bool FactorAxes::isFilled(unsigned factor) const {
  return mesh->getSize(axes[factor]) == rule.getFactor(factor).size;
}

/// Walks the axes and the factors of a dimension together, outermost first.
void FactorAxes::takeDim(const DimFactors &factors, const AxisList &wanted) {
  const unsigned *factor = factors.begin();
  for (const std::string &axis : wanted) {
    while (factor != factors.end() && isFilled(*factor))
      ++factor;
    if (factor == factors.end() || !isSplittable[*factor])
      return;
    AxisList &taken = axes[*factor];
    if (llvm::is_contained(taken, axis))
      continue;
    int64_t count = mesh->getSize(taken) * mesh->getSize(StringRef(axis));
    if (uses(axis) || rule.getFactor(*factor).size % count)
      return;
    taken.push_back(axis);
  }
}

void FactorAxes::take(const TensorFactors &dims, const Sharding &sharding) {
  for (auto [factors, wanted] : llvm::zip_equal(dims, sharding.getDims()))
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
         llvm::concat<const TensorFactors>(rule.getOperands(), rule.getResults()))
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
