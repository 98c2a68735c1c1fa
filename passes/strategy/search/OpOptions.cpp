// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backtracking over the axes: each gets no role, a factor or a linear set. Divisibility prunes
// early; contiguity is checked at the leaves, because later axes may complete a factor. Options
// near a plan fix the roles of all other axes.
#include "passes/strategy/search/SearchProblem.h"

#include "passes/analysis/reshard/ReshardPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// Returns the names of the axes of more than one rank.
AxisList listAxes(const dist::Mesh &mesh) {
  AxisList axes;
  dist::Mesh wide = analysis::dropTrivialAxes(mesh);
  for (const dist::MeshAxis &axis : wide.getAxes())
    axes.push_back(axis.name);
  return axes;
}

/// Assigns roles to the axes one by one, and keeps the legal assignments.
class OptionLister {
public:
  OptionLister(Operation *op, const dist::Mesh &mesh)
      : op(op), mesh(mesh), axes(listAxes(mesh)), none(op, mesh), rule(none.getRule()),
        factors(rule.getFactors().size()) {}

  std::vector<OpSharding> run() {
    assign(0, nullptr);
    return std::move(options);
  }

  std::vector<OpSharding> runNear(const OpSharding &current, StringRef axis) {
    for (const std::string &name : axes)
      kept.push_back(name == axis ? Kept() : findKept(current, name));
    options.push_back(current);
    assign(0, nullptr);
    return std::move(options);
  }

private:
  /// Prescribed role of an axis; by default any role.
  struct Kept {
    bool isFree = true;
    int factor = -1;
    const LinearSet *set = nullptr;
  };

  /// Returns the role of `axis` in `current`. An axis is carried if an operand is partial over it
  /// and no factor of this op uses it.
  Kept findKept(const OpSharding &current, StringRef axis) const {
    FactorAxes split = none;
    for (unsigned index = 0; index < current.operands.size(); ++index)
      split.takeOperand(index, current.operands[index].withoutPartial());
    for (unsigned index = 0; index < current.results.size(); ++index)
      split.takeResult(index, current.results[index].withoutPartial());
    split.settle();
    Kept found{false};
    for (auto [factor, list] : llvm::enumerate(split.getAxes()))
      if (llvm::is_contained(list, axis))
        found.factor = static_cast<int>(factor);
    if (found.factor < 0)
      for (const LinearSet &set : rule.getLinear())
        if (!found.set && llvm::any_of(set.operands, [&](unsigned operand) {
              return llvm::is_contained(current.operands[operand].getPartialAxes(), axis);
            }))
          found.set = &set;
    return found;
  }

  /// Whether the axis at `index` may have the given role.
  bool isKept(size_t index, int factor, const LinearSet *set) const {
    return kept.empty() || kept[index].isFree ||
           (kept[index].factor == factor && kept[index].set == set);
  }

  /// Assigns the axes from `index` on. `set` is the linear set of the carried axes; null if no axis
  /// is carried yet.
  void assign(size_t index, const LinearSet *set) {
    if (index == axes.size())
      return keep(set);
    if (isKept(index, -1, nullptr))
      assign(index + 1, set);
    for (auto [number, factor] : llvm::enumerate(factors)) {
      if (!isKept(index, static_cast<int>(number), nullptr))
        continue;
      factor.push_back(axes[index]);
      if (isLegal())
        assign(index + 1, set);
      factor.pop_back();
    }
    for (const LinearSet &other : rule.getLinear()) {
      if (other.kind != ReduceKind::Sum || (set && set != &other) || !isKept(index, -1, &other))
        continue;
      carried.push_back(axes[index]);
      assign(index + 1, &other);
      carried.pop_back();
    }
  }

  /// Whether every split factor may be split and its count divides it. Contiguity is checked by
  /// keep(), because later axes may still fill an earlier factor of the same dimension.
  bool isLegal() const {
    for (auto [index, list] : llvm::enumerate(factors))
      if (!list.empty() && (!none.maySplit(index) ||
                            rule.getFactor(index).size % mesh.getSize(ArrayRef<std::string>(list))))
        return false;
    return true;
  }

  void keep(const LinearSet *set) {
    FactorAxes split = none;
    split.setAxes(factors);
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

  /// Whether the op takes the operands of the set as partial sums. A split reduction of another
  /// kind prevents this.
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
  SmallVector<AxisList, 4> factors; ///< axes assigned so far
  AxisList carried;
  SmallVector<Kept> kept; ///< by axis; empty if all are free
  std::vector<OpSharding> options;
};

/// Assigns the axes from `index` on, and appends each complete sharding.
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

std::vector<OpSharding> listOptionsNear(Operation *op, const dist::Mesh &mesh,
                                        const OpSharding &current, StringRef axis) {
  return OptionLister(op, mesh).runNear(current, axis);
}

std::vector<Sharding> listShardings(ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                    bool mayBePartial) {
  std::vector<Sharding> shardings;
  Sharding sharding = Sharding::replicated(shape.size());
  listFrom(0, listAxes(mesh), shape, mesh, mayBePartial, sharding, shardings);
  return shardings;
}

std::vector<Sharding> listShardingsNear(ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                        bool mayBePartial, const Sharding &current,
                                        StringRef axis) {
  std::vector<Sharding> shardings = {current};
  AxisList order = listAxes(mesh);
  if (!llvm::is_contained(order, axis))
    return shardings;
  auto without = [&](AxisList list) {
    llvm::erase(list, axis);
    return list;
  };
  // Keeps the order of the mesh, as the options of ops do.
  auto with = [&](AxisList list) {
    auto place = [&](StringRef name) { return llvm::find(order, name) - order.begin(); };
    auto next = llvm::find_if(list, [&](StringRef name) { return place(name) > place(axis); });
    list.insert(next, axis.str());
    return list;
  };
  std::vector<AxisList> dims;
  for (const AxisList &list : current.getDims())
    dims.push_back(without(list));
  AxisList partial = without(current.getPartialAxes());
  auto add = [&](Sharding sharding) {
    if (!llvm::is_contained(shardings, sharding))
      shardings.push_back(std::move(sharding));
  };
  Sharding none = Sharding(dims).withPartial(partial, current.getPartialKind());
  add(none);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    Sharding split = none;
    split.getDim(dim) = with(dims[dim]);
    if (shape[dim] % split.getShardCount(dim, mesh) == 0)
      add(std::move(split));
  }
  if (mayBePartial && current.getPartialKind() == ReduceKind::Sum)
    add(none.withPartial(with(partial)));
  return shardings;
}

} // namespace pcc::strategy
