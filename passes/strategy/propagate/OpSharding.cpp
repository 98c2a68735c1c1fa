// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial axes of a result have two sources: split reduce factors and carried operands. Of the
// linear sets, the one that carries the most partial operands is taken. An operand that is added to
// a split reduction enters once.
#include "passes/strategy/propagate/OpSharding.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// Axes of the split reduce factors. Results without such a factor are partial over its axes.
struct Reduction {
  AxisList axes;
  SmallVector<unsigned> split; ///< the split factors
  ReduceKind kind = ReduceKind::Sum;

  Reduction(Operation *op, const FactorAxes &factors) {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op); reduce && reduce.getCrossBatch())
      return; // each rank keeps its own result
    auto local = dyn_cast<analysis::LocalFormOpInterface>(op);
    for (auto [index, factor] : llvm::enumerate(factors.getRule().getFactors())) {
      bool isReduced = factor.kind == FactorKind::Reduce ||
                       (factor.kind != FactorKind::Parallel && local && local.leavesPartial(index));
      if (!isReduced || factors.getAxes()[index].empty())
        continue;
      axes.append(factors.getAxes()[index]);
      split.push_back(index);
      kind = factor.reduce;
    }
  }

  /// Returns the axes over which a result of `dims` is partial.
  AxisList axesOutside(const FactorAxes &factors, const TensorFactors &dims) const {
    AxisList outside;
    for (unsigned factor : split)
      if (llvm::none_of(dims,
                        [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); }))
        outside.append(factors.getAxes()[factor]);
    return outside;
  }
};

/// Partial operands that pass through the op unsummed, and operands that enter once beside them.
struct Carried {
  AxisList axes;
  ReduceKind kind = ReduceKind::Sum;
  ArrayRef<unsigned> operands;
};

/// Finds the linear set that carries the largest number of partial operands.
class CarriedFinder {
public:
  CarriedFinder(const FactorAxes &factors, ArrayRef<Sharding> operands, ArrayRef<bool> mayCarry,
                const Reduction &reduction)
      : factors(factors), operands(operands), mayCarry(mayCarry), reduction(reduction) {}

  Carried find() const {
    Carried best;
    size_t maxCount = 0;
    for (const LinearSet &set : factors.getRule().getLinear()) {
      size_t count = countPartial(set);
      if (count <= maxCount)
        continue;
      maxCount = count;
      best = {getAxes(set), set.kind, set.operands};
    }
    return best;
  }

private:
  bool isCarried(unsigned operand, ReduceKind kind) const {
    const Sharding &sharding = operands[operand];
    return sharding.isPartial() && sharding.getPartialKind() == kind && mayCarry[operand];
  }

  /// Counts the operands of the set that are partial with its kind and axes; returns 0 if they
  /// cannot pass together.
  size_t countPartial(const LinearSet &set) const {
    AxisList axes = getAxes(set);
    bool isFree = llvm::none_of(axes, [&](const std::string &axis) { return factors.uses(axis); });
    if (!isFree || (!reduction.axes.empty() && reduction.kind != set.kind))
      return 0;
    return llvm::count_if(set.operands, [&](unsigned operand) {
      return isCarried(operand, set.kind) && operands[operand].getPartialAxes() == axes;
    });
  }

  /// Returns the partial axes of the first operand that can be carried.
  AxisList getAxes(const LinearSet &set) const {
    for (unsigned operand : set.operands)
      if (isCarried(operand, set.kind))
        return operands[operand].getPartialAxes();
    return {};
  }

  const FactorAxes &factors;
  ArrayRef<Sharding> operands;
  ArrayRef<bool> mayCarry;
  const Reduction &reduction;
};

bool hasSplitReduction(const FactorAxes &factors, const TensorFactors &dims) {
  return llvm::any_of(dims, [&](const DimFactors &dim) {
    return llvm::any_of(dim, [&](unsigned factor) {
      return factors.getRule().getFactor(factor).kind == FactorKind::Reduce &&
             !factors.getAxes()[factor].empty();
    });
  });
}

/// Whether the operand is added to the result of a split reduction (the base of a scatter), so that
/// only one rank may add it.
bool entersOnce(const FactorAxes &factors, unsigned operand) {
  const FactorRule &rule = factors.getRule();
  if (hasSplitReduction(factors, rule.getOperands()[operand]))
    return false;
  return llvm::any_of(rule.getLinear(), [&](const LinearSet &set) {
    return llvm::is_contained(set.operands, operand) &&
           llvm::any_of(set.operands, [&](unsigned other) {
             return hasSplitReduction(factors, rule.getOperands()[other]);
           });
  });
}

} // namespace

OpSharding makeOpSharding(Operation *op, const FactorAxes &factors, ArrayRef<Sharding> operands,
                          ArrayRef<bool> mayCarry) {
  const FactorRule &rule = factors.getRule();
  Reduction reduction(op, factors);
  Carried carried = CarriedFinder(factors, operands, mayCarry, reduction).find();
  ReduceKind kind = reduction.axes.empty() ? carried.kind : reduction.kind;
  OpSharding sharding;
  for (auto [index, dims] : llvm::enumerate(rule.getOperands())) {
    AxisList partialAxes;
    if (llvm::is_contained(carried.operands, index))
      partialAxes = carried.axes;
    if (!reduction.axes.empty() && entersOnce(factors, index))
      partialAxes.append(reduction.axes);
    sharding.operands.push_back(factors.project(dims).withPartial(partialAxes, kind));
  }
  for (const TensorFactors &dims : rule.getResults()) {
    AxisList partialAxes = reduction.axesOutside(factors, dims);
    partialAxes.append(carried.axes);
    sharding.results.push_back(factors.project(dims).withPartial(partialAxes, kind));
  }
  return sharding;
}

static analysis::Shape getLocalShape(Value value, const Sharding &sharding,
                                     const dist::Mesh &mesh) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? sharding.getLocalShape(type.getShape(), mesh) : analysis::Shape{0};
}

analysis::OpShapes getLocalShapes(Operation *op, const OpSharding &opSharding,
                                  const dist::Mesh &mesh) {
  analysis::OpShapes shapes;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), opSharding.operands))
    shapes.operands.push_back(getLocalShape(operand, sharding, mesh));
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), opSharding.results))
    shapes.results.push_back(getLocalShape(result, sharding, mesh));
  return shapes;
}

} // namespace pcc::strategy
