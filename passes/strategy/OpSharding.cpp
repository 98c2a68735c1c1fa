// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/OpSharding.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/facts/LocalForm.h"
#include "passes/strategy/FactorAxes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

SmallVector<bool> findSplittable(Operation *op, const FactorRule &rule) {
  auto local = dyn_cast<facts::LocalFormOpInterface>(op);
  SmallVector<bool> splittable;
  for (auto [index, factor] : llvm::enumerate(rule.getFactors())) {
    bool isFree = factor.kind == FactorKind::Parallel || factor.kind == FactorKind::Reduce;
    splittable.push_back(isFree ||
                         (factor.kind == FactorKind::Whole && local && local.canSplitWhole(index)));
  }
  return splittable;
}

/// The axes of the split reduce factors, whose results are partial.
struct Reduction {
  AxisList axes;
  ReduceKind kind = ReduceKind::Sum;

  Reduction(Operation *op, const FactorRule &rule, const FactorAxes &factors) {
    auto local = dyn_cast<facts::LocalFormOpInterface>(op);
    for (auto [index, factor] : llvm::enumerate(rule.getFactors())) {
      bool isReduced = factor.kind == FactorKind::Reduce ||
                       (factor.kind == FactorKind::Whole && local && local.leavesPartial(index));
      if (!isReduced || factors.getAxes()[index].empty())
        continue;
      axes.append(factors.getAxes()[index]);
      kind = factor.reduce;
    }
  }
};

/// Partial operands that go through the op as they are.
struct Carried {
  AxisList axes;
  ReduceKind kind = ReduceKind::Sum;
  SmallVector<unsigned, 2> operands;
};

/// True if every operand of the set is partial over the same axes and in the set's way.
bool fits(const LinearSet &set, ArrayRef<Sharding> operands) {
  const Sharding &first = operands[set.operands.front()];
  return first.isPartial() && first.getPartialKind() == set.kind &&
         llvm::all_of(set.operands, [&](unsigned operand) {
           return operands[operand].getPartialAxes() == first.getPartialAxes() &&
                  operands[operand].getPartialKind() == set.kind;
         });
}

/// The largest set of partial operands in which the op is linear, if its axes are free.
Carried findCarried(const FactorRule &rule, ArrayRef<Sharding> operands, const FactorAxes &factors,
                    const Reduction &reduction) {
  Carried best;
  for (const LinearSet &set : rule.getLinear()) {
    if (set.operands.size() <= best.operands.size() || !fits(set, operands))
      continue;
    const AxisList &axes = operands[set.operands.front()].getPartialAxes();
    bool isFree = llvm::none_of(axes, [&](const std::string &axis) { return factors.uses(axis); });
    if (isFree && (reduction.axes.empty() || reduction.kind == set.kind))
      best = {axes, set.kind, set.operands};
  }
  return best;
}

bool hasReduceFactor(const FactorRule &rule, const TensorFactors &dims, const FactorAxes &factors) {
  return llvm::any_of(dims, [&](const DimFactors &dim) {
    return llvm::any_of(dim, [&](unsigned factor) {
      return rule.getFactor(factor).kind == FactorKind::Reduce &&
             !factors.getAxes()[factor].empty();
    });
  });
}

/// True if the operand is added to what a split reduction yields (the base of a scatter): one rank
/// alone may add it.
bool entersOnce(const FactorRule &rule, unsigned operand, const FactorAxes &factors) {
  if (hasReduceFactor(rule, rule.getOperands()[operand], factors))
    return false;
  return llvm::any_of(rule.getLinear(), [&](const LinearSet &set) {
    return llvm::is_contained(set.operands, operand) &&
           llvm::any_of(set.operands, [&](unsigned other) {
             return hasReduceFactor(rule, rule.getOperands()[other], factors);
           });
  });
}

OpSharding assemble(Operation *op, const FactorRule &rule, const FactorAxes &factors,
                    ArrayRef<Sharding> operands) {
  Reduction reduction(op, rule, factors);
  Carried carried = findCarried(rule, operands, factors, reduction);
  ReduceKind kind = reduction.axes.empty() ? carried.kind : reduction.kind;
  OpSharding sharding;
  for (auto [index, dims] : llvm::enumerate(rule.getOperands())) {
    AxisList partialAxes;
    if (llvm::is_contained(carried.operands, index))
      partialAxes = carried.axes;
    if (!reduction.axes.empty() && entersOnce(rule, index, factors))
      partialAxes.append(reduction.axes);
    sharding.operands.push_back(factors.project(dims).withPartial(partialAxes, kind));
  }
  AxisList partialAxes = reduction.axes;
  partialAxes.append(carried.axes);
  for (const TensorFactors &dims : rule.getResults())
    sharding.results.push_back(factors.project(dims).withPartial(partialAxes, kind));
  return sharding;
}

} // namespace

OpSharding shardByOperands(Operation *op, ArrayRef<Sharding> operands, const dist::Mesh &mesh) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  SmallVector<bool> splittable = findSplittable(op, rule);
  FactorAxes factors(rule, mesh, splittable);
  for (auto [dims, sharding] : llvm::zip_equal(rule.getOperands(), operands))
    factors.take(dims, sharding);
  factors.settle();
  return assemble(op, rule, factors, operands);
}

OpSharding shardByResult(Operation *op, const Sharding &result, const dist::Mesh &mesh) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  SmallVector<bool> splittable = findSplittable(op, rule);
  FactorAxes factors(rule, mesh, splittable);
  factors.take(rule.getResults().front(), result);
  factors.settle();
  std::vector<Sharding> wholes;
  for (const TensorFactors &dims : rule.getOperands())
    wholes.push_back(Sharding::replicated(dims.size()));
  return assemble(op, rule, factors, wholes);
}

} // namespace pcc::strategy
