// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates the edges of the search. Gathers and all-to-alls move the fastest axes of a dimension
// only, because blocks stay contiguous that way. Any other change of cuts is an exchange to one of
// the destination's goals.
#include "passes/analysis/reshard/ReshardSteps.h"

#include "passes/analysis/reshard/ExchangeVolume.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {
namespace {

/// Lists the steps from one sharding.
class StepLister {
public:
  StepLister(const Sharding &from, const Destination &destination, ArrayRef<int64_t> shape,
             const Mesh &mesh)
      : from(from), destination(destination), shape(shape), mesh(mesh),
        localShape(from.getLocalShape(shape, mesh)), localElements(product_of(localShape)) {}

  std::vector<ReshardStep> list() {
    addReductions();
    addMasks();
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      addSlices(dim);
      addGathers(dim);
      addAllToAlls(dim);
    }
    addExchanges();
    return std::move(steps);
  }

private:
  /// Returns whether this rank's block can be cut further.
  bool isDivisible(int64_t dim, int64_t count) const { return localShape[dim] % count == 0; }

  void add(StepKind kind, AxisList axes, Sharding to, int64_t resultElements, int64_t received,
           int64_t messages, int64_t fromDim = -1, int64_t toDim = -1) {
    steps.push_back({kind, std::move(axes), fromDim, toDim, from, std::move(to), localElements,
                     resultElements, received, messages});
  }

  Sharding withoutPartialAxes(ArrayRef<std::string> gone) const {
    AxisList rest;
    for (const std::string &axis : from.getPartialAxes())
      if (!is_contained(gone, axis))
        rest.push_back(axis);
    return from.withPartial(rest, from.getPartialKind());
  }

  /// Adds steps that reduce partial axes, or reduce and scatter them: some of the axes, in every
  /// order. This includes axes that are partial in the target, too: after their reduction, more
  /// ranks can share the work.
  void addReductions() { addReductionsAfter({}, from.getPartialAxes()); }

  /// Adds the steps that reduce `taken`, and then some of `left`.
  void addReductionsAfter(const AxisList &taken, const AxisList &left) {
    if (llvm::is_sorted(taken) && !taken.empty()) // order means nothing to a sum
      addAllReduce(taken);
    for (int64_t dim = 0; dim < from.getRank() && !taken.empty(); ++dim)
      addReduceScatter(taken, dim);
    for (size_t next = 0; next < left.size(); ++next) {
      AxisList more = taken, fewer = left;
      more.push_back(left[next]);
      fewer.erase(fewer.begin() + next);
      addReductionsAfter(more, fewer);
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

  /// Adds masks: one rank of each group keeps a value that is partial in the target only. With
  /// waypoints also masks along an idle axis, which a reduction over more ranks can then use.
  void addMasks() {
    AxisList axes;
    for (const std::string &axis : destination.target.getPartialAxes())
      if (!from.uses(axis))
        axes.push_back(axis);
    if (!axes.empty())
      addMask(axes, destination.target.getPartialKind());
    if (destination.waypoints == Waypoints::All && from.isPartial())
      for (const dist::MeshAxis &axis : mesh.getAxes())
        if (!from.uses(axis.name))
          addMask({axis.name}, from.getPartialKind());
  }

  void addMask(const AxisList &axes, ReduceKind kind) {
    if (from.isPartial() && from.getPartialKind() != kind)
      return;
    AxisList all = from.getPartialAxes();
    all.append(axes);
    add(StepKind::Mask, axes, from.withPartial(all, kind), localElements, 0, 0);
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

  /// Adds one gather for each number of joined axes, the fastest axes first.
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

  /// Adds all-to-alls: the joined axes then cut another dimension.
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

  /// Adds exchanges to every goal, with the current partial axes. A step that moves nothing is left
  /// to slices.
  void addExchanges() {
    for (const Sharding &goal : destination.exchangeGoals) {
      if (any_of(from.getPartialAxes(), [&](StringRef axis) { return goal.uses(axis); }))
        continue;
      ExchangeVolume volume = measureExchange(from, goal, shape, mesh);
      if (volume.elements > 0)
        add(volume.permutes ? StepKind::CollectivePermute : StepKind::BlockExchange, volume.axes,
            goal.withPartial(from.getPartialAxes(), from.getPartialKind()),
            product_of(goal.getLocalShape(shape, mesh)), volume.elements, volume.messages);
    }
  }

  const Sharding &from;
  const Destination &destination;
  ArrayRef<int64_t> shape;
  const Mesh &mesh;
  SmallVector<int64_t, 4> localShape;
  int64_t localElements;
  std::vector<ReshardStep> steps;
};

/// Returns the shardings with `axis` added at every place of every dimension (or only as the
/// fastest).
std::vector<Sharding> addAxis(const Sharding &sharding, const std::string &axis, bool onlyFastest) {
  std::vector<Sharding> all;
  if (!sharding.uses(axis))
    for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
      for (size_t count = sharding.getDim(dim).size(), place = onlyFastest ? count : 0;
           place <= count; ++place) {
        all.push_back(sharding);
        AxisList &axes = all.back().getDim(dim);
        axes.insert(axes.begin() + place, axis);
      }
  return all;
}

} // namespace

Destination::Destination(Sharding target, Waypoints waypoints, ArrayRef<int64_t> shape,
                         const Mesh &mesh)
    : target(std::move(target)), waypoints(waypoints) {
  constexpr size_t fewAxes = 3;
  bool listsAll = mesh.getAxes().size() <= fewAxes;
  exchangeGoals = {this->target.withoutPartial()};
  if (waypoints == Waypoints::None)
    return;
  if (listsAll)
    exchangeGoals = {Sharding::replicated(this->target.getRank())};
  for (const dist::MeshAxis &axis : mesh.getAxes())
    for (size_t i = 0, count = listsAll ? exchangeGoals.size() : 1; i < count; ++i)
      append_range(exchangeGoals, addAxis(exchangeGoals[i], axis.name, /*onlyFastest=*/!listsAll));
  erase_if(exchangeGoals, [&](const Sharding &goal) { return !goal.verify(shape, mesh).empty(); });
}

std::vector<ReshardStep> listSteps(const Sharding &from, const Destination &destination,
                                   ArrayRef<int64_t> shape, const Mesh &mesh) {
  return StepLister(from, destination, shape, mesh).list();
}

} // namespace pcc::analysis
