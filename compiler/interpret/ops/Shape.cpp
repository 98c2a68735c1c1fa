// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements without reading their values.

#include "compiler/interpret/Blocks.h"
#include "compiler/interpret/Compute.h"
#include "compiler/interpret/Indexing.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/TensorAttr.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Fills `result` with the input's elements at `flatten(index, strides)`.
Tensor gatherByStrides(Tensor result, const Tensor &input, llvm::ArrayRef<int64_t> strides) {
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  llvm::ArrayRef<Element> in = input.elements();
  int64_t next = 0;
  forEachIndex(result.getShape(),
               [&](llvm::ArrayRef<int64_t> index) { out[next++] = in[flatten(index, strides)]; });
  return result;
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

Tensor slice(graph::SliceOp op, llvm::ArrayRef<Tensor> in) {
  return computeSlice(in[0], op.getAxis(), op.getStart(), op.getStride(),
                      op.getType().getDimSize(op.getAxis()));
}

/// Returns the start nearest to `start` that leaves room for `count` of `size` elements.
int64_t legalStart(int64_t start, int64_t count, int64_t size) {
  return std::clamp<int64_t>(start, 0, size - count);
}

Tensor dynamicSlice(graph::DynamicSliceOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  int64_t axis = op.getAxis();
  int64_t start = legalStart(in[1][0].i, result.getDim(axis), in[0].getDim(axis));
  return moveAlongAxis(result, in[0], axis, [=](int64_t i) { return start + i; });
}

Tensor dynamicUpdateSlice(graph::DynamicUpdateSliceOp op, llvm::ArrayRef<Tensor> in) {
  int64_t axis = op.getAxis();
  int64_t start = legalStart(in[2][0].i, in[1].getDim(axis), in[0].getDim(axis));
  return moveAlongAxis(in[0], in[1], axis, [=](int64_t i) { return i - start; });
}

Tensor pad(graph::PadOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  double value = op.getValue().convertToDouble();
  llvm::fill(result.mutableElements(),
             result.isFloat() ? Element{.f = value} : Element{.i = truncate(value)});
  int64_t low = op.getLow();
  return moveAlongAxis(result, in[0], op.getAxis(), [=](int64_t i) { return i - low; });
}

Tensor concat(graph::ConcatOp op, llvm::ArrayRef<Tensor> in) {
  return concatenate(in, op.getAxis());
}

LogicalResult split(graph::SplitOp op, OpCall &call) {
  const Tensor &input = call.operands[0];
  int64_t axis = op.getAxis();
  llvm::SmallVector<int64_t, 4> offset(input.getRank(), 0);
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    call.results.push_back(extractBox(input, offset, type.getShape()));
    offset[axis] += type.getDimSize(axis);
  }
  return success();
}

} // namespace

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

void registerShape(Registry &registry) {
  registry.add<graph::ReshapeOp>([](graph::ReshapeOp op, llvm::ArrayRef<Tensor> in) {
    return in[0].reshaped(op.getType().getShape());
  });
  registry.add<graph::TransposeOp>([](graph::TransposeOp op, llvm::ArrayRef<Tensor> in) {
    return computeTranspose(in[0], op.getPermutation());
  });
  registry.add<graph::BroadcastOp>([](graph::BroadcastOp op, llvm::ArrayRef<Tensor> in) {
    return computeBroadcast(in[0], op.getType().getShape(), op.getDims());
  });
  registry.add<graph::SliceOp>(slice);
  registry.add<graph::DynamicSliceOp>(dynamicSlice);
  registry.add<graph::DynamicUpdateSliceOp>(dynamicUpdateSlice);
  registry.add<graph::PadOp>(pad);
  registry.add<graph::ConcatOp>(concat);
  registry.add<graph::SplitOp>(split);
}

} // namespace pcc::interpret
