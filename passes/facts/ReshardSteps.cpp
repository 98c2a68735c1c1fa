// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/ReshardSteps.h"

#include "passes/facts/ExchangeVolume.h"
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
        localShape(from.getLocalShape(shape, mesh)), localElements(product_of(localShape)) {}

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
  /// Whether this rank's block can be cut further.
  bool isDivisible(int64_t dim, int64_t count) const { return localShape[dim] % count == 0; }

  void add(StepKind kind, AxisList axes, Sharding to, int64_t resultElements, int64_t received,
           int64_t messages, int64_t fromDim = -1, int64_t toDim = -1) {
    steps.push_back({kind, std::move(axes), fromDim, toDim, from, std::move(to), localElements,
                     resultElements, received, messages});
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

  /// Partial axes are reduced away, or reduced and scattered: each alone, all of them, and those
  /// which follow in the target's order.
  void addReductions() {
    AxisList reducible = getReducible();
    if (reducible.size() > 1)
      addAllReduce(reducible);
    for (const std::string &axis : reducible) {
      addAllReduce({axis});
      for (int64_t dim = 0; dim < from.getRank(); ++dim)
        addReduceScatter({axis}, dim);
    }
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      ArrayRef<std::string> rest = target.getDim(dim);
      if (!rest.take_front(from.getDim(dim).size()).equals(from.getDim(dim)))
        continue;
      AxisList axes;
      for (const std::string &axis : rest.drop_front(from.getDim(dim).size())) {
        if (!is_contained(reducible, axis))
          break;
        axes.push_back(axis);
        if (axes.size() > 1)
          addReduceScatter(axes, dim);
      }
    }
  }

  void addAllReduce(const AxisList &axes) {
    int64_t size = mesh.getSize(axes);
    add(StepKind::AllReduce, axes, withoutPartialAxes(axes), localElements,
        2 * localElements * (size - 1) / size, size - 1);
  }

  void addReduceScatter(const AxisList &axes, int64_t dim) {
    int64_t size = mesh.getSize(axes);
    if (!isDivisible(dim, size))
      return;
    Sharding to = withoutPartialAxes(axes);
    to.getDim(dim).append(axes);
    add(StepKind::ReduceScatter, axes, to, localElements / size, localElements / size * (size - 1),
        size - 1, -1, dim);
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
    add(StepKind::Mask, axes, from.withPartial(all, target.getPartialKind()), localElements, 0, 0);
  }

  void addSlices(int64_t dim) {
    for (const dist::MeshAxis &axis : mesh.getAxes()) {
      if (axis.size == 1 || from.uses(axis.name) || !isDivisible(dim, axis.size))
        continue;
      Sharding to = from;
      to.getDim(dim).push_back(axis.name);
      add(StepKind::Slice, {axis.name}, to, localElements / axis.size, 0, 0, -1, dim);
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
      add(StepKind::AllGather, axes, to, localElements * size, localElements * (size - 1), size - 1,
          dim);
    }
  }

  /// The same for axes that then cut another dimension.
  void addAllToAlls(int64_t dim) {
    const AxisList &cut = from.getDim(dim);
    for (size_t kept = 0; kept < cut.size(); ++kept) {
      AxisList axes(cut.begin() + kept, cut.end());
      int64_t size = mesh.getSize(axes);
      for (int64_t other = 0; other < from.getRank(); ++other) {
        if (other == dim || !isDivisible(other, size))
          continue;
        Sharding to = from;
        to.getDim(dim).resize(kept);
        to.getDim(other).append(axes);
        add(StepKind::AllToAll, axes, to, localElements, localElements / size * (size - 1),
            size - 1, dim, other);
      }
    }
  }

  /// Straight to the target's cuts, with the same partial axes as now.
  void addExchange() {
    Sharding to = target.withPartial(from.getPartialAxes(), from.getPartialKind());
    if (to == from || !to.verifyAxes(mesh).empty())
      return;
    ExchangeVolume volume = measureExchange(from, to, shape, mesh);
    add(volume.permutes ? StepKind::CollectivePermute : StepKind::BlockExchange, volume.axes, to,
        product_of(to.getLocalShape(shape, mesh)), volume.elements, volume.messages);
  }

  const Sharding &from, &target;
  ArrayRef<int64_t> shape;
  const Mesh &mesh;
  SmallVector<int64_t, 4> localShape;
  int64_t localElements;
  std::vector<ReshardStep> steps;
};

} // namespace

std::vector<ReshardStep> listSteps(const Sharding &from, const Sharding &target,
                                   ArrayRef<int64_t> shape, const Mesh &mesh) {
  return StepLister(from, target, shape, mesh).list();
}

} // namespace pcc::facts
