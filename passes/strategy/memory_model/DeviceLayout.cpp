// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common refinement as a fixpoint. Both layouts are cut at the boundaries of all axes, then at the
// boundaries of all dimensions. A cut dimension may end inside an axis; this boundary is cut in the
// next round.
#include "passes/strategy/memory_model/DeviceLayout.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace pcc::strategy {

DeviceLayout layOut(ArrayRef<int64_t> shape, const TensorFactors &dims, ArrayRef<int64_t> counts,
                    const FactorRule &rule) {
  SmallVector<DeviceAxis, 8> axes;
  DeviceLayout layout;
  int64_t product = 1;
  for (int64_t count : counts) {
    axes.push_back(count == 1 ? DeviceAxis() : DeviceAxis{product, product * count});
    layout.matrix.push_back(product *= count);
  }
  for (auto [size, factors] : zip_equal(shape, dims)) {
    if (factors.empty())
      layout.dims.push_back({size, {}});
    for (unsigned factor : factors)
      layout.dims.push_back(
          {factors.size() == 1 ? size : rule.getFactor(factor).size, axes[factor]});
  }
  return layout;
}

DeviceLayout layOutWhole(ArrayRef<int64_t> shape) {
  DeviceLayout layout;
  for (int64_t size : shape)
    layout.dims.push_back({size, {}});
  return layout;
}

int64_t countLocalElements(const DeviceLayout &layout) {
  int64_t elements = 1;
  for (const LayoutDim &dim : layout.dims)
    elements *= dim.getLocalSize();
  return elements;
}

bool haveSameLocalShape(const LayoutDims &left, const LayoutDims &right) {
  auto listSizes = [](const LayoutDims &layout) {
    SmallVector<int64_t, 6> sizes;
    for (const LayoutDim &dim : layout)
      if (dim.size != 1)
        sizes.push_back(dim.getLocalSize());
    return sizes;
  };
  return listSizes(left) == listSizes(right);
}

namespace {

/// Prefix products at which devices or dimensions are cut.
using CutPoints = std::set<int64_t>;

/// Cuts two layouts until neither changes.
class Refiner {
public:
  Refiner(const DeviceLayout &from, const DeviceLayout &to)
      : from(dropOnes(from.dims)), to(dropOnes(to.dims)) {
    devices.insert(from.matrix.begin(), from.matrix.end());
    devices.insert(to.matrix.begin(), to.matrix.end());
  }

  bool run() {
    while (true) {
      LayoutDims fromBefore = from, toBefore = to;
      if (!cutByDevices(from) || !cutByDevices(to))
        return false;
      CutPoints sizes;
      addSizes(from, sizes);
      addSizes(to, sizes);
      size_t numDevices = devices.size();
      if (!cutBySizes(from, sizes) || !cutBySizes(to, sizes))
        return false;
      if (from == fromBefore && to == toBefore && devices.size() == numDevices)
        return true;
    }
  }

  LayoutDims from, to;

private:
  static LayoutDims dropOnes(const LayoutDims &layout) {
    LayoutDims kept;
    for (const LayoutDim &dim : layout)
      if (dim.size != 1)
        kept.push_back(dim);
    return kept;
  }

  static void addSizes(const LayoutDims &layout, CutPoints &sizes) {
    int64_t product = 1;
    for (const LayoutDim &dim : layout)
      sizes.insert(product *= dim.size);
  }

  /// Splits each dimension whose axis contains cut points into one dimension per part of the axis.
  bool cutByDevices(LayoutDims &layout) const {
    LayoutDims cut;
    for (const LayoutDim &dim : layout) {
      LayoutDim rest = dim;
      for (auto cutPoint = devices.upper_bound(dim.axis.begin);
           dim.isCut() && cutPoint != devices.end() && *cutPoint < dim.axis.end; ++cutPoint) {
        if (*cutPoint % rest.axis.begin || dim.axis.end % *cutPoint)
          return false;
        int64_t parts = *cutPoint / rest.axis.begin;
        cut.push_back({parts, {rest.axis.begin, *cutPoint}});
        rest = {rest.size / parts, {*cutPoint, dim.axis.end}};
      }
      cut.push_back(rest);
    }
    layout = std::move(cut);
    return true;
  }

  /// Splits each dimension that contains cut points; the first parts take over its axis.
  bool cutBySizes(LayoutDims &layout, const CutPoints &sizes) {
    LayoutDims cut;
    int64_t begin = 1;
    for (const LayoutDim &dim : layout) {
      int64_t end = begin * dim.size;
      DeviceAxis rest = dim.axis;
      for (auto cutPoint = sizes.upper_bound(begin); begin != end; ++cutPoint) {
        if (*cutPoint % begin || end % *cutPoint || !takeAxis(*cutPoint / begin, rest, cut))
          return false;
        begin = *cutPoint;
      }
    }
    layout = std::move(cut);
    return true;
  }

  /// Appends a dimension of `size` that is cut by as much of `axis` as possible; leaves the
  /// remaining axis in `axis`.
  bool takeAxis(int64_t size, DeviceAxis &axis, LayoutDims &layout) {
    int64_t count = axis.getCount(), taken = std::min(count, size);
    if (size % taken || count % taken)
      return false;
    if (taken == 1) {
      layout.push_back({size, {}});
      return true;
    }
    int64_t middle = axis.begin * taken;
    layout.push_back({size, {axis.begin, middle}});
    devices.insert(middle);
    axis = middle == axis.end ? DeviceAxis() : DeviceAxis{middle, axis.end};
    return true;
  }

  CutPoints devices; ///< prefix products at which any axis begins or ends
};

} // namespace

std::optional<CommonLayouts> findCommon(const DeviceLayout &from, const DeviceLayout &to) {
  Refiner refiner(from, to);
  if (!refiner.run())
    return std::nullopt;
  bool dropsLeadingOnes = !from.dims.empty() && from.dims.front().size == 1;
  return CommonLayouts{std::move(refiner.from), std::move(refiner.to), dropsLeadingOnes};
}

} // namespace pcc::strategy
