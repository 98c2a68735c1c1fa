// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates a redistribution and sums its bytes, by the formulas in DeviceLayout.h and in the order
// of MindSpore's RedistributionOperatorInfer. A round splits and moves as long as that is possible.
// Then it gathers axes that the target does not use. If a round finishes no dimension, it gathers
// the first open one. Layouts without a common refinement are gathered completely.
#include "passes/strategy/memory_model/DeviceLayout.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace pcc::strategy {
namespace {

/// Sums the bytes of the steps of a redistribution.
class Meter {
public:
  explicit Meter(double bytes) : local(bytes) {}

  void split() {
    volume.computation += local;
    ++steps;
  }
  void gather(int64_t parts, bool isFirstDim) {
    volume.computation += 2 * local;
    if (!isFirstDim)
      volume.computation += 2 * local * static_cast<double>(parts);
    volume.forward += local * static_cast<double>(parts) / 2;
    volume.backward += local / 2;
    ++steps;
  }
  void reshape() { volume.computation += 2 * local; }

  bool hasSteps() const { return steps > 0; }
  const ReshardVolume &getVolume() const { return volume; }

private:
  double local; ///< bytes before the first step, which every step counts
  ReshardVolume volume;
  int steps = 0;
};

/// Transforms one layout into another layout of the same dimensions.
class Walk {
public:
  Walk(const CommonLayouts &layouts, Meter &meter)
      : to(layouts.to), dropsLeadingOnes(layouts.dropsLeadingOnes), meter(meter) {
    for (auto [index, dim] : enumerate(layouts.from))
      if (dim.axis != to[index].axis)
        open[index] = dim.axis;
  }

  void run() {
    while (!open.empty()) {
      size_t before = open.size();
      // Not `||`: axes are moved in every round, even if a dimension was split.
      while (cutFreely() | moveAxes()) {
      }
      gatherUnwanted();
      if (open.size() == before && !open.empty() && isCut(open.begin()->second))
        gather(open.begin());
    }
  }

private:
  using Open = std::map<size_t, DeviceAxis>;

  static bool isCut(const DeviceAxis &axis) { return axis.begin != axis.end; }

  /// Finds the open dimension that `axis` currently cuts.
  Open::iterator find(const DeviceAxis &axis) {
    return find_if(open, [&](const auto &entry) { return entry.second == axis; });
  }

  /// Splits open dimensions whose wanted axis cuts nothing; returns whether any dimension was
  /// split.
  bool cutFreely() {
    bool changed = false;
    for (auto it = open.begin(); it != open.end();) {
      DeviceAxis wanted = to[it->first].axis;
      if (it->second == wanted) {
        it = open.erase(it);
      } else if (!isCut(it->second) && find(wanted) == open.end()) {
        meter.split();
        it = open.erase(it);
        changed = true;
      } else {
        ++it;
      }
    }
    return changed;
  }

  /// Moves axes: gathers the dimension that an axis cuts, and splits the dimension that the axis
  /// must cut. Returns whether any axis was moved.
  bool moveAxes() {
    bool changed = false;
    for (auto it = open.begin(); it != open.end();) {
      DeviceAxis wanted = to[it->first].axis;
      auto holder = isCut(it->second) || !isCut(wanted) ? open.end() : find(wanted);
      if (holder == open.end()) {
        ++it;
        continue;
      }
      meter.gather(wanted.getCount(), isFirst(holder->first));
      meter.split();
      holder->second = {};
      it = open.erase(it);
      changed = true;
    }
    return changed;
  }

  /// Gathers dimensions that are cut by an axis that cuts no dimension of the target.
  void gatherUnwanted() {
    for (auto it = open.begin(); it != open.end();) {
      auto here = it++;
      if (isCut(here->second) &&
          none_of(to, [&](const LayoutDim &dim) { return dim.axis == here->second; }))
        gather(here);
    }
  }

  void gather(Open::iterator it) {
    meter.gather(it->second.getCount(), isFirst(it->first));
    it->second = {};
    if (!isCut(to[it->first].axis))
      open.erase(it);
  }

  bool isFirst(size_t dim) const { return dim == 0 && !dropsLeadingOnes; }

  const LayoutDims &to;
  bool dropsLeadingOnes;
  Meter &meter;
  Open open; ///< dimensions that differ from the target, with the axes that cut them now
};

/// Gathers all dimensions, reshapes, and splits: for layouts without a common refinement.
void goThroughWhole(const DeviceLayout &from, const DeviceLayout &to, Meter &meter) {
  for (auto [index, dim] : enumerate(from.dims))
    if (dim.isCut())
      meter.gather(dim.axis.getCount(), index == 0);
  meter.reshape();
  for (const LayoutDim &dim : to.dims)
    if (dim.isCut())
      meter.split();
}

} // namespace

ReshardVolume measureReshard(const DeviceLayout &from, const DeviceLayout &to,
                             int64_t elementBytes) {
  Meter meter(static_cast<double>(countLocalElements(from) * elementBytes));
  std::optional<CommonLayouts> common = findCommon(from, to);
  if (!common) {
    goThroughWhole(from, to, meter);
    return meter.getVolume();
  }
  Walk(*common, meter).run();
  bool isReshaped = meter.hasSteps() ? !haveSameLocalShape(from.dims, common->from) ||
                                           !haveSameLocalShape(to.dims, common->to)
                                     : !haveSameLocalShape(from.dims, to.dims);
  if (isReshaped)
    meter.reshape();
  return meter.getVolume();
}

} // namespace pcc::strategy
