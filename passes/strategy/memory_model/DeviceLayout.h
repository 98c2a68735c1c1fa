// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of a tensor on devices that a device matrix numbers row-major: each dimension is cut by
// one axis of the matrix or by none. An axis is the interval between two prefix products of the
// matrix.
//
//   8 devices, matrix (2,4)     axes [1,2) and [2,8)
//   64x32, cut by both          dims 64 by [1,2), 32 by [2,8); locally 32x8
//
// Two layouts of one tensor from different matrices are compared after a common refinement: axes
// and dimensions are cut until both layouts have the same ones.
//
//   64x32 as 64 by [1,8)                2x32x32: 2 by [1,2), 32 by [2,8), 32
//   64x32 as 64 by [1,2), 32 by [2,8)   2x32x32: 2 by [1,2), 32, 32 by [2,8)
//
// MindSpore unifies tensor layouts in the same way before it redistributes.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include <optional>

namespace pcc::strategy {

/// Axis of a device matrix with `end / begin` parts; {1, 1} means no axis.
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

/// Dimensions of a tensor, slowest first. A dimension of several factors has one entry per factor.
using LayoutDims = llvm::SmallVector<LayoutDim, 6>;

struct DeviceLayout {
  LayoutDims dims;
  /// All prefix products of the matrix, including axes that do not cut this tensor. In a
  /// comparison, the axes of the other layout are cut at these products as well.
  llvm::SmallVector<int64_t, 8> matrix = {};

  bool operator==(const DeviceLayout &other) const { return dims == other.dims; }
};

/// Returns the layout of a tensor of `shape` whose dimensions consist of the factors `dims`. The
/// op's factors, described by `rule`, are cut `counts` times; the counts form the device matrix.
DeviceLayout layOut(llvm::ArrayRef<int64_t> shape, const TensorFactors &dims,
                    llvm::ArrayRef<int64_t> counts, const FactorRule &rule);

/// Returns the layout of a tensor of `shape` that is not cut.
DeviceLayout layOutWhole(llvm::ArrayRef<int64_t> shape);

int64_t countLocalElements(const DeviceLayout &layout);

/// Whether both layouts have the same shape on each device; dimensions of size one do not count.
bool haveSameLocalShape(const LayoutDims &left, const LayoutDims &right);

/// Two layouts with equal dimensions, none of size one. Axes that cut are either equal or disjoint.
struct CommonLayouts {
  LayoutDims from, to;
  /// Whether `from` lost dimensions of size one in front. Its first dimension is then not the
  /// tensor's first one, whose gathering costs less.
  bool dropsLeadingOnes = false;
};

/// Returns the common refinement of two layouts with the same number of elements, or nullopt if
/// their cuts of devices or dimensions do not divide one another.
std::optional<CommonLayouts> findCommon(const DeviceLayout &from, const DeviceLayout &to);

// Counts the bytes of a redistribution as MindSpore performs it (RedistributionOperatorInfer).
// After a common refinement of both layouts (DeviceLayout.h) the algorithm iterates over the
// dimensions whose axes differ. First it splits dimensions by axes that currently cut nothing, and
// moves axes from one dimension to another. When neither is possible, it gathers the dimensions
// that must not be cut.
//
//   of n local elements before the first step    computation         forward    backward
//   split                                        n
//   gather a dimension cut in d                  2n + 2nd, or 2n     nd/2       n/2
//                                                for the first dimension
//   move an axis of d                            gather and split    nd/2       n/2
//   a reshape, before or after                   2n
//
// Later steps count the same number of elements as the first step, as in MindSpore.

/// Bytes that one device processes, sends in the forward pass, and sends in the backward pass.
struct ReshardVolume {
  double computation = 0, forward = 0, backward = 0;
};

/// Returns the volume between two layouts of the same elements; the shapes differ for a reshape.
ReshardVolume measureReshard(const DeviceLayout &from, const DeviceLayout &to,
                             int64_t elementBytes);

} // namespace pcc::strategy
