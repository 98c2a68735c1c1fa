// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over row-major tensors.
#pragma once

#include "compiler/values/Tensor.h"

namespace pcc::values {

/// A shape seen along one axis: [outer, size, inner]. `outer` combines all dimensions before the
/// axis, `inner` all dimensions after it. Ops on one axis loop over these sizes.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;

  AxisView(llvm::ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
    for (int64_t dim : shape.take_front(axis))
      outer *= dim;
    for (int64_t dim : shape.drop_front(axis + 1))
      inner *= dim;
  }

  int64_t flat(int64_t o, int64_t i, int64_t n) const { return (o * size + i) * inner + n; }
};

/// Returns the distance in elements between neighbors in each dimension.
inline llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

/// Calls `visit(index)` for every index of `shape`, last dimension fastest.
template <typename Visit> void forEachIndex(llvm::ArrayRef<int64_t> shape, Visit visit) {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t, 4> index(shape.size(), 0);
  while (true) {
    visit(llvm::ArrayRef<int64_t>(index));
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

/// Returns Σ index[d] · strides[d].
inline int64_t flatten(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    flat += index[dim] * strides[dim];
  return flat;
}

/// Fills element (o, i, n) of `result`, seen along `axis`, with element (o, source(i), n) of the
/// input. If source(i) is outside the input, the element is unchanged.
template <typename Source>
Tensor moveAlongAxis(Tensor result, const Tensor &input, int64_t axis, Source source) {
  AxisView to(result.getShape(), axis), from(input.getShape(), axis);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::ArrayRef<Element> in = input.elements();
  for (int64_t o = 0; o < to.outer; ++o)
    for (int64_t i = 0; i < to.size; ++i) {
      int64_t row = source(i);
      if (row < 0 || row >= from.size)
        continue;
      for (int64_t n = 0; n < to.inner; ++n)
        out[to.flat(o, i, n)] = in[from.flat(o, row, n)];
    }
  return result;
}

} // namespace pcc::values
