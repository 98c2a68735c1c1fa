// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tensor lies on devices that are numbered row-major by a device matrix: each dimension is
// cut by an axis of the matrix, or by none. An axis is the stretch between two products of the
// matrix from the left.
//
//   8 devices, matrix (2,4)     axes [1,2) and [2,8)
//   64x32, cut by both          dims 64 by [1,2), 32 by [2,8); locally 32x8
//
// Two layouts of one tensor that come from different matrices are compared on common ground: axes
// and dimensions are cut until both have the same.
//
//   64x32 as 64 by [1,8)                2x32x32: 2 by [1,2), 32 by [2,8), 32
//   64x32 as 64 by [1,2), 32 by [2,8)   2x32x32: 2 by [1,2), 32, 32 by [2,8)
//
// This is how the reference system brings tensor layouts together before it redistributes.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include <optional>

namespace pcc::strategy {

/// An axis: `end / begin` parts; {1, 1} is none.
struct DeviceAxis {
  int64_t begin = 1, end = 1;

  int64_t getCount() const { return end / begin; }
  bool operator==(const DeviceAxis &) const = default;
};

struct LayoutDim {
  int64_t size = 1;
  DeviceAxis axis;

  bool isCut() const { return axis.end != axis.begin; }
  int64_t getLocalSize() const { return size / axis.getCount(); }
  bool operator==(const LayoutDim &) const = default;
};

/// The dimensions of a tensor, slowest first; those of several factors count as several.
using LayoutDims = llvm::SmallVector<LayoutDim, 6>;

struct DeviceLayout {
  LayoutDims dims;
  /// The products of the whole matrix from the left, whether or not they cut this tensor; axes of
  /// other layouts are cut there as well.
  llvm::SmallVector<int64_t, 8> matrix = {};

  bool operator==(const DeviceLayout &other) const { return dims == other.dims; }
};

/// A tensor of `shape` whose dimensions are made of `dims`, in an op whose factors of sizes
/// `sizes` are cut `counts` times, row-major.
DeviceLayout layOut(llvm::ArrayRef<int64_t> shape, const TensorFactors &dims,
                    llvm::ArrayRef<int64_t> counts, const FactorRule &rule);

/// A tensor of `shape` that is cut nowhere.
DeviceLayout layOutWhole(llvm::ArrayRef<int64_t> shape);

int64_t countLocalElements(const DeviceLayout &layout);

/// Whether both have the same shape on each device; dimensions of size one do not count.
bool haveSameLocalShape(const LayoutDims &left, const LayoutDims &right);

/// Two layouts with equal dimensions, none of size one; what is cut, is cut by axes that are equal
/// or apart.
struct CommonLayouts {
  LayoutDims from, to;
  bool startsInside = false; ///< dimensions of size one were dropped in front
};

/// Nothing where the cuts of devices or dimensions do not divide one another. Both have as many
/// elements.
std::optional<CommonLayouts> findCommon(const DeviceLayout &from, const DeviceLayout &to);

} // namespace pcc::strategy
