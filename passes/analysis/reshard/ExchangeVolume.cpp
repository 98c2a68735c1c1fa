// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies per-dimension results. For each dimension, the axes with which both cuts begin drop
// out. The remaining numbers of blocks give the kept elements and the touched blocks by
// divisibility alone.
#include "passes/analysis/reshard/ExchangeVolume.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {
namespace {

/// One dimension of the exchange, without the axes with which both cuts begin: along these axes
/// every rank stays in its own part.
struct DimCuts {
  int64_t sources, targets; ///< numbers of blocks in one such part

  DimCuts(const AxisList &from, const AxisList &to, const Mesh &mesh) {
    size_t common =
        std::mismatch(from.begin(), from.end(), to.begin(), to.end()).first - from.begin();
    sources = mesh.getSize(ArrayRef(from).drop_front(common));
    targets = mesh.getSize(ArrayRef(to).drop_front(common));
  }

  /// Returns whether some rank's own block shares nothing with its target block. If both sides are
  /// cut, by different axes first, some rank has the first part on one side and the last part on
  /// the other.
  bool canMiss() const { return sources > 1 && targets > 1; }

  /// Returns the maximum number of source blocks that a target block touches. A target block spans
  /// a/b source blocks (in lowest terms), and some target begins just before the end of a source
  /// block.
  int64_t countTouched() const {
    int64_t divisor = std::gcd(sources, targets), a = sources / divisor, b = targets / divisor;
    return 1 + (a - 1 + b - 1) / b;
  }
};

AxisList listAxes(const Sharding &from, const Sharding &to, const Mesh &mesh) {
  AxisList fromAxes = from.getSplitAxes(), toAxes = to.getSplitAxes(), axes;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    if (is_contained(fromAxes, axis.name) || is_contained(toAxes, axis.name))
      axes.push_back(axis.name);
  return axes;
}

} // namespace

ExchangeVolume measureExchange(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                               const Mesh &mesh) {
  ExchangeVolume volume;
  volume.axes = listAxes(from, to, mesh);
  SmallVector<int64_t, 4> source = from.getLocalShape(shape, mesh),
                          target = to.getLocalShape(shape, mesh);
  int64_t own = 1, sources = 1; // elements that a rank has already; source blocks that it touches
  bool touchesAll = true;
  for (auto [dim, fromAxes, toAxes] : enumerate(from.getDims(), to.getDims())) {
    DimCuts cuts(fromAxes, toAxes, mesh);
    own *= cuts.canMiss() ? 0 : std::min(source[dim], target[dim]);
    sources *= cuts.countTouched();
    touchesAll &= cuts.countTouched() == cuts.sources;
  }
  volume.elements = product_of(target) - own;
  volume.messages = sources - (touchesAll ? 1 : 0); // its own block is then one of them
  // Equal blocks, cut by the same axes: the axes of a source then follow from those of its target.
  bool sameAxes = from.getSplitAxes().size() == volume.axes.size() &&
                  to.getSplitAxes().size() == volume.axes.size();
  volume.permutes = source == target && sameAxes && volume.elements > 0;
  return volume;
}

} // namespace pcc::analysis
