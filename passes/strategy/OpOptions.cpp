// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/OpOptions.h"

#include "passes/facts/ReshardPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// The names of the axes that cut anything.
AxisList listAxes(const dist::Mesh &mesh) {
  AxisList axes;
  for (const dist::MeshAxis &axis : facts::dropTrivialAxes(mesh).getAxes())
    axes.push_back(axis.name);
  return axes;
}

/// Assigns axis after axis, and keeps what is legal.
class OptionLister {
public:
  OptionLister(Operation *op, const dist::Mesh &mesh)
      : op(op), mesh(mesh), axes(listAxes(mesh)), none(op, mesh), rule(none.getRule()),
        factors(rule.getFactors().size()) {}

  std::vector<OpSharding> run() {
    assign(0, nullptr);
    return std::move(options);
  }

private:
  /// Decides about the axes from `index` on. `set` is the linear set that carries, once one does.
  void assign(size_t index, const LinearSet *set) {
    if (index == axes.size())
      return keep(set);
    assign(index + 1, set);
    for (AxisList &factor : factors) {
      factor.push_back(axes[index]);
      if (isLegal())
        assign(index + 1, set);
      factor.pop_back();
    }
    for (const LinearSet &other : rule.getLinear()) {
      if (other.kind != ReduceKind::Sum || (set && set != &other))
        continue;
      carried.push_back(axes[index]);
      assign(index + 1, &other);
      carried.pop_back();
    }
  }

  /// Whether each count divides its factor, which may be split. Later axes may still fill a factor
  /// before another one of its dimension, so contiguity is left to keep().
  bool isLegal() const {
    for (auto [index, list] : llvm::enumerate(factors))
      if (!list.empty() && (!none.maySplit(index) ||
                            rule.getFactor(index).size % mesh.getSize(ArrayRef<std::string>(list))))
        return false;
    return true;
  }

  void keep(const LinearSet *set) {
    FactorAxes split = none;
    split.give(factors);
    split.settle();
    if (split.getAxes() != ArrayRef<AxisList>(factors))
      return;
    std::vector<Sharding> operands;
    SmallVector<bool> mayCarry(rule.getOperands().size(), false);
    for (auto [index, dims] : llvm::enumerate(rule.getOperands())) {
      mayCarry[index] = set && llvm::is_contained(set->operands, index);
      operands.push_back(
          split.project(dims).withPartial(mayCarry[index] ? carried : AxisList(), ReduceKind::Sum));
    }
    OpSharding sharding = makeOpSharding(op, split, operands, mayCarry);
    if (set && !isCarried(sharding, *set))
      return;
    if (!llvm::is_contained(options, sharding))
      options.push_back(std::move(sharding));
  }

  /// Whether the op takes the operands of the set as partial sums, which it does unless a split
  /// reduction of another kind stands against it.
  bool isCarried(const OpSharding &sharding, const LinearSet &set) const {
    return llvm::all_of(set.operands, [&](unsigned operand) {
      return llvm::all_of(carried, [&](const std::string &axis) {
        return llvm::is_contained(sharding.operands[operand].getPartialAxes(), axis);
      });
    });
  }

  Operation *op;
  const dist::Mesh &mesh;
  AxisList axes;
  FactorAxes none; ///< no factor split
  const FactorRule &rule;
  SmallVector<AxisList, 4> factors; ///< the axes assigned so far
  AxisList carried;
  std::vector<OpSharding> options;
};

/// Decides about the axes from `index` on.
void listFrom(size_t index, ArrayRef<std::string> axes, ArrayRef<int64_t> shape,
              const dist::Mesh &mesh, bool mayBePartial, Sharding &sharding,
              std::vector<Sharding> &shardings) {
  if (index == axes.size()) {
    shardings.push_back(sharding);
    return;
  }
  auto next = [&] { listFrom(index + 1, axes, shape, mesh, mayBePartial, sharding, shardings); };
  next();
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] % (sharding.getShardCount(dim, mesh) * mesh.getSize(StringRef(axes[index]))))
      continue;
    sharding.getDim(dim).push_back(axes[index]);
    next();
    sharding.getDim(dim).pop_back();
  }
  if (!mayBePartial)
    return;
  Sharding before = sharding;
  AxisList partial = before.getPartialAxes();
  partial.push_back(axes[index]);
  sharding = before.withPartial(partial);
  next();
  sharding = before;
}

} // namespace

std::vector<OpSharding> listOptions(Operation *op, const dist::Mesh &mesh) {
  return OptionLister(op, mesh).run();
}

std::vector<Sharding> listShardings(ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                    bool mayBePartial) {
  std::vector<Sharding> shardings;
  Sharding sharding = Sharding::replicated(shape.size());
  listFrom(0, listAxes(mesh), shape, mesh, mayBePartial, sharding, shardings);
  return shardings;
}

} // namespace pcc::strategy
