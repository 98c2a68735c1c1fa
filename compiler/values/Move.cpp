// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that move elements without computing with them.

#include "compiler/values/Compute.h"
#include "compiler/values/Indexing.h"
#include <algorithm>

namespace pcc::values {

/// Fills `result` with the input's elements at `flatten(index, strides)`.
static Tensor gatherByStrides(Tensor result, const Tensor &input, llvm::ArrayRef<int64_t> strides) {
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::ArrayRef<Element> in = input.elements();
  int64_t next = 0;
  forEachIndex(result.getShape(),
               [&](llvm::ArrayRef<int64_t> index) { out[next++] = in[flatten(index, strides)]; });
  return result;
}

Tensor computeTranspose(const Tensor &x, llvm::ArrayRef<int64_t> permutation) {
  auto inputStrides = rowMajorStrides(x.getShape());
  llvm::SmallVector<int64_t, 4> shape, strides;
  for (int64_t dim : permutation) {
    shape.push_back(x.getDim(dim));
    strides.push_back(inputStrides[dim]);
  }
  return gatherByStrides(Tensor(x.getType(), shape), x, strides);
}

Tensor computeBroadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims) {
  auto inputStrides = rowMajorStrides(x.getShape());
  // A repeated dimension has stride 0, because its index does not change the input element.
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 0);
  for (auto [dim, target] : llvm::enumerate(dims))
    if (x.getDim(dim) != 1)
      strides[target] = inputStrides[dim];
  return gatherByStrides(Tensor(x.getType(), shape), x, strides);
}

Tensor computeSlice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count) {
  llvm::SmallVector<int64_t, 4> shape(x.getShape());
  shape[axis] = count;
  return moveAlongAxis(Tensor(x.getType(), shape), x, axis,
                       [=](int64_t i) { return start + i * stride; });
}

Tensor computeGather(const Tensor &x, const Tensor &indices, int64_t axis) {
  llvm::SmallVector<int64_t, 4> shape(x.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, x.getShape().drop_front(axis + 1));
  Tensor result(x.getType(), shape);
  AxisView view(x.getShape(), axis);
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  int64_t next = 0;
  for (int64_t o = 0; o < view.outer; ++o)
    for (Element index : indices.elements()) {
      int64_t row = std::clamp<int64_t>(index.i, 0, view.size - 1);
      for (int64_t n = 0; n < view.inner; ++n)
        out[next++] = x[view.flat(o, row, n)];
    }
  return result;
}

Tensor extractBox(const Tensor &whole, llvm::ArrayRef<int64_t> offset,
                  llvm::ArrayRef<int64_t> shape) {
  if (whole.getShape() == shape)
    return whole;
  Tensor box(whole.getType(), shape);
  insertBox(box, llvm::SmallVector<int64_t, 4>(shape.size(), 0), whole, offset, shape);
  return box;
}

void insertBox(Tensor &whole, llvm::ArrayRef<int64_t> offset, const Tensor &source,
               llvm::ArrayRef<int64_t> sourceOffset, llvm::ArrayRef<int64_t> shape) {
  auto to = rowMajorStrides(whole.getShape()), from = rowMajorStrides(source.getShape());
  int64_t toStart = flatten(offset, to), fromStart = flatten(sourceOffset, from);
  llvm::MutableArrayRef<Element> out = whole.mutableElements();
  llvm::ArrayRef<Element> in = source.elements();
  // Copies row by row: the elements of one row are contiguous.
  int64_t row = shape.empty() ? 1 : shape.back();
  forEachIndex(shape.drop_back(shape.empty() ? 0 : 1), [&](llvm::ArrayRef<int64_t> index) {
    std::copy_n(in.begin() + fromStart + flatten(index, from), row,
                out.begin() + toStart + flatten(index, to));
  });
}

Tensor concatenate(llvm::ArrayRef<Tensor> pieces, int64_t axis) {
  llvm::SmallVector<int64_t, 4> shape(pieces[0].getShape());
  shape[axis] = 0;
  for (const Tensor &piece : pieces)
    shape[axis] += piece.getDim(axis);
  Tensor result(pieces[0].getType(), shape);
  llvm::SmallVector<int64_t, 4> offset(shape.size(), 0), start(shape.size(), 0);
  for (const Tensor &piece : pieces) {
    insertBox(result, offset, piece, start, piece.getShape());
    offset[axis] += piece.getDim(axis);
  }
  return result;
}

} // namespace pcc::values
