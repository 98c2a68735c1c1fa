// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes how a window moves over the rows and columns of an image.
//
//   rows of 7, window 3, stride 2, padding 1 above and below     4 results: rows -1, 1, 3, 5 on
//   the same with dilation 2                                     3 results: rows -1, 1, 3 on
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// Maximum of each size, stride, padding and dilation of a window. Positions are sums of products
/// of two such numbers, which do not overflow 64 bits.
inline constexpr int64_t maxWindow = int64_t(1) << 24;

/// A window, rows first, then columns; the arrays belong to an op.
struct Window {
  llvm::ArrayRef<int64_t> sizes, strides;
  llvm::ArrayRef<int64_t> padding; ///< top, left, bottom, right
  llvm::ArrayRef<int64_t> dilations;

  int64_t getLow(unsigned dim) const { return padding[dim]; }
  int64_t getHigh(unsigned dim) const { return padding[dim + 2]; }
  /// Returns the extent of the window, from its first element to its last one.
  int64_t getExtent(unsigned dim) const { return (sizes[dim] - 1) * dilations[dim] + 1; }
  /// Returns how often the window fits into `size` elements and the padding; 0 if never.
  int64_t getResultSize(unsigned dim, int64_t size) const {
    int64_t room = size + getLow(dim) + getHigh(dim) - getExtent(dim);
    return room < 0 ? 0 : room / strides[dim] + 1;
  }
  /// Returns the input position of element `offset` of result `index`; it is out of range in the
  /// padding.
  int64_t getPosition(unsigned dim, int64_t index, int64_t offset) const {
    return index * strides[dim] - getLow(dim) + offset * dilations[dim];
  }

  /// Returns how many elements of window `index` lie inside an image of `size`.
  int64_t countInside(unsigned dim, int64_t index, int64_t size) const {
    int64_t count = 0;
    for (int64_t offset = 0; offset < sizes[dim]; ++offset) {
      int64_t position = getPosition(dim, index, offset);
      count += position >= 0 && position < size;
    }
    return count;
  }

  /// Returns the window of a convolution, or of a gradient of one.
  template <typename OpT> static Window ofConvolution(OpT op, llvm::ArrayRef<int64_t> weightShape) {
    return {weightShape.drop_front(2), op.getStrides(), op.getPadding(), op.getDilations()};
  }
  static Window of(Conv2dOp op) { return ofConvolution(op, op.getWeight().getType().getShape()); }
  static Window of(Conv2dInputGradientOp op) {
    return ofConvolution(op, op.getWeight().getType().getShape());
  }
  static Window of(Conv2dWeightGradientOp op) {
    return ofConvolution(op, op.getResult().getType().getShape());
  }
  /// Returns the window of pooling, or of a gradient of it.
  template <typename OpT> static Window of(OpT op) {
    return {op.getWindow(), op.getStrides(), op.getPadding(), op.getDilations()};
  }
};

} // namespace pcc::graph
