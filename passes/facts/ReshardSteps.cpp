// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/ReshardSteps.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::facts {
namespace {

/// Lists the steps from one sharding.
class StepLister {
public:
  StepLister(const Sharding &from, const Sharding &target, ArrayRef<int64_t> shape,
             const Mesh &mesh)
      : from(from), target(target), shape(shape), mesh(mesh),
        localElements(product_of(from.getLocalShape(shape, mesh))) {}

  std::vector<ReshardStep> list() {
    addReductions();
    addMask();
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      addSlices(dim);
      addGathers(dim);
      addAllToAlls(dim);
    }
    addExchange();
    return std::move(steps);
  }

private:
  bool isLegal(const Sharding &sharding) const { return sharding.verify(shape, mesh).empty(); }

  void add(StepKind kind, AxisList axes, Sharding to, int64_t elements, int64_t messages,
           int64_t fromDim = -1, int64_t toDim = -1) {
    steps.push_back(
        {kind, std::move(axes), fromDim, toDim, from, std::move(to), elements, messages});
  }

  /// The partial axes that the target does not keep.
  AxisList getReducible() const {
    bool keepsKind = from.getPartialKind() == target.getPartialKind();
    AxisList axes;
    for (const std::string &axis : from.getPartialAxes())
      if (!keepsKind || !is_contained(target.getPartialAxes(), axis))
        axes.push_back(axis);
    return axes;
  }

  Sharding withoutPartialAxes(ArrayRef<std::string> gone) const {
    AxisList rest;
    for (const std::string &axis : from.getPartialAxes())
      if (!is_contained(gone, axis))
        rest.push_back(axis);
    return from.withPartial(rest, from.getPartialKind());
  }

  void addReductions() {
    AxisList reducible = getReducible();
    auto addAllReduce = [&](const AxisList &axes) {
      int64_t size = mesh.getSize(axes);
      add(StepKind::AllReduce, axes, withoutPartialAxes(axes),
          2 * localElements * (size - 1) / size, 2 * (size - 1));
    };
    if (reducible.size() > 1)
      addAllReduce(reducible);
    for (const std::string &axis : reducible) {
      addAllReduce({axis});
      int64_t size = mesh.getSize(StringRef(axis));
      for (int64_t dim = 0; dim < from.getRank(); ++dim) {
        Sharding to = withoutPartialAxes({axis});
        to.getDim(dim).push_back(axis);
        if (isLegal(to))
          add(StepKind::ReduceScatter, {axis}, to, localElements * (size - 1) / size, size - 1, -1,
              dim);
      }
    }
  }

  /// A value that is partial in the target only is kept by one rank of each group.
  void addMask() {
    AxisList axes, all = from.getPartialAxes();
    for (const std::string &axis : target.getPartialAxes())
      if (!from.uses(axis))
        axes.push_back(axis);
    if (axes.empty() || (from.isPartial() && from.getPartialKind() != target.getPartialKind()))
      return;
    all.append(axes);
    add(StepKind::Mask, axes, from.withPartial(all, target.getPartialKind()), 0, 0);
  }

  void addSlices(int64_t dim) {
    for (const dist::MeshAxis &axis : mesh.getAxes()) {
      if (axis.size == 1 || from.uses(axis.name))
        continue;
      Sharding to = from;
      to.getDim(dim).push_back(axis.name);
      if (isLegal(to))
        add(StepKind::Slice, {axis.name}, to, 0, 0, -1, dim);
    }
  }

  /// One step for each number of axes joined, fastest first.
  void addGathers(int64_t dim) {
    const AxisList &cut = from.getDim(dim);
    for (size_t kept = 0; kept < cut.size(); ++kept) {
      AxisList axes(cut.begin() + kept, cut.end());
      Sharding to = from;
      to.getDim(dim).resize(kept);
      int64_t size = mesh.getSize(axes);
      add(StepKind::AllGather, axes, to, localElements * (size - 1), size - 1, dim);
    }
  }

  void addAllToAlls(int64_t dim) {
    if (from.getDim(dim).empty())
      return;
    std::string axis = from.getDim(dim).back();
    int64_t size = mesh.getSize(StringRef(axis));
    for (int64_t other = 0; other < from.getRank(); ++other) {
      Sharding to = from;
      to.getDim(dim).pop_back();
      to.getDim(other).push_back(axis);
      if (other != dim && isLegal(to))
        add(StepKind::AllToAll, {axis}, to, localElements * (size - 1) / size, size - 1, dim,
            other);
    }
  }

  /// Straight to the target's cuts, with the same partial axes as now.
  void addExchange() {
    Sharding to = target.withPartial(from.getPartialAxes(), from.getPartialKind());
    if (to == from || !to.verifyAxes(mesh).empty())
      return;
    BlockTable table = makeBlockTable(from, to, shape, mesh);
    add(StepKind::BlockExchange, table.axes, to, table.getReceived(), table.getMessages());
  }

  const Sharding &from, &target;
  ArrayRef<int64_t> shape;
  const Mesh &mesh;
  int64_t localElements;
  std::vector<ReshardStep> steps;
};

} // namespace

std::vector<ReshardStep> listSteps(const Sharding &from, const Sharding &target,
                                   ArrayRef<int64_t> shape, const Mesh &mesh) {
  return StepLister(from, target, shape, mesh).list();
}

} // namespace pcc::facts
