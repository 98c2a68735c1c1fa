// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape ops of the emitter.

#include "compiler/import/emit/Emitter.h"
#include "compiler/import/emit/Evaluate.h"
#include "compiler/import/files/Shapes.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace pcc::import {

Tensor Emitter::reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return x;
  if (!isAddressable(shape) || ShapedType::getNumElements(shape) != x.type.getNumElements()) {
    error() << "cannot reshape " << formatShape(x.shape()) << " to " << formatShape(shape);
    return {};
  }
  if (x.known)
    return Tensor::of(evaluateReshape(*x.known, shape));
  return finish(graph::ReshapeOp::create(builder, loc, x.type.clone(shape), x.value));
}

Tensor Emitter::transpose(const Tensor &x, llvm::ArrayRef<int64_t> permutation) {
  if (!x || llvm::is_sorted(permutation))
    return x;
  if (evaluates(x.shape(), {&x}))
    return Tensor::of(evaluateTranspose(*x.known, permutation));
  auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return x.shape()[dim]; });
  Value input = materialize(x);
  if (!input)
    return {};
  return finish(graph::TransposeOp::create(builder, loc, x.type.clone(shape), input, permutation));
}

Tensor Emitter::broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return x;
  auto common = commonShape(x.shape(), shape);
  if (!common || llvm::ArrayRef<int64_t>(*common) != shape || !isAddressable(shape)) {
    error() << "cannot broadcast " << formatShape(x.shape()) << " to " << formatShape(shape);
    return {};
  }
  if (llvm::is_contained(shape, 0))
    return Tensor::empty(x.type.clone(shape));
  if (evaluates(shape, {&x}))
    return Tensor::of(evaluateBroadcast(*x.known, shape));
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(shape.size() - x.rank(), static_cast<int64_t>(shape.size())));
  Value input = materialize(x);
  if (!input)
    return {};
  return finish(graph::BroadcastOp::create(builder, loc, x.type.clone(shape), input, dims));
}

Tensor Emitter::slice(const Tensor &x, int64_t axis, int64_t start, int64_t stride, int64_t count) {
  if (!x || (start == 0 && stride == 1 && count == x.shape()[axis]))
    return x;
  if (evaluates(x.shape(), {&x}))
    return Tensor::of(evaluateSlice(*x.known, axis, start, stride, count));
  Shape shape(x.shape());
  shape[axis] = count;
  if (llvm::is_contained(shape, 0))
    return Tensor::empty(x.type.clone(shape));
  Value input = materialize(x);
  if (!input)
    return {};
  return finish(graph::SliceOp::create(builder, loc, x.type.clone(shape), input,
                                       static_cast<uint64_t>(axis), static_cast<uint64_t>(start),
                                       static_cast<uint64_t>(stride)));
}

Tensor Emitter::pad(const Tensor &x, int64_t axis, int64_t low, int64_t high, double value) {
  if (!x || (low == 0 && high == 0))
    return x;
  Shape shape(x.shape());
  auto size = llvm::checkedAdd(shape[axis], low);
  size = size ? llvm::checkedAdd(*size, high) : size;
  shape[axis] = size.value_or(-1);
  if (!isAddressable(shape)) {
    error() << "cannot pad dimension " << axis << " of " << formatShape(x.shape()) << " by " << low
            << " and " << high;
    return {};
  }
  if (x.isEmpty() || llvm::is_contained(shape, 0))
    return broadcast(scalarLike(x, value), shape);
  Value input = materialize(x);
  if (!input)
    return {};
  return finish(graph::PadOp::create(builder, loc, x.type.clone(shape), input,
                                     static_cast<uint64_t>(axis), static_cast<uint64_t>(low),
                                     static_cast<uint64_t>(high), llvm::APFloat(value)));
}

std::optional<Shape> Emitter::joinedShape(llvm::ArrayRef<Tensor> pieces, int64_t axis) {
  Shape shape(pieces.front().shape());
  shape[axis] = 0;
  for (const Tensor &piece : pieces) {
    Shape expected(shape);
    if (piece.rank() == static_cast<int64_t>(shape.size()))
      expected[axis] = piece.shape()[axis];
    if (piece.shape() != llvm::ArrayRef<int64_t>(expected) ||
        piece.elementType() != pieces.front().elementType()) {
      error() << "cannot join " << pieces.front().type << " and " << piece.type << " along axis "
              << axis;
      return std::nullopt;
    }
    shape[axis] = llvm::checkedAdd(shape[axis], piece.shape()[axis]).value_or(-1);
  }
  if (isAddressable(shape))
    return shape;
  error() << "the result of joining along axis " << axis << " is too large";
  return std::nullopt;
}

Tensor Emitter::concat(llvm::ArrayRef<Tensor> pieces, int64_t axis) {
  if (!llvm::all_of(pieces, [](const Tensor &piece) { return bool(piece); }))
    return {};
  auto shape = joinedShape(pieces, axis);
  if (!shape)
    return {};
  if (pieces.size() == 1)
    return pieces.front();
  bool allKnown = llvm::all_of(pieces, [](const Tensor &piece) { return piece.known != nullptr; });
  if (allKnown && ShapedType::getNumElements(*shape) <= maxFoldedElements) {
    auto parts = llvm::map_to_vector(pieces, [](const Tensor &x) { return x.known.get(); });
    return Tensor::of(evaluateConcat(parts, axis));
  }
  llvm::SmallVector<Tensor> parts;
  llvm::copy_if(pieces, std::back_inserter(parts), [](const Tensor &x) { return !x.isEmpty(); });
  if (parts.size() == 1)
    return parts.front();
  auto values = llvm::map_to_vector(parts, [&](const Tensor &x) { return materialize(x); });
  if (llvm::is_contained(values, Value()))
    return {};
  auto type = RankedTensorType::get(*shape, pieces.front().elementType());
  return finish(graph::ConcatOp::create(builder, loc, type, values, static_cast<uint64_t>(axis)));
}

llvm::SmallVector<Tensor> Emitter::split(const Tensor &x, int64_t axis,
                                         llvm::ArrayRef<int64_t> sizes) {
  if (!x)
    return llvm::SmallVector<Tensor>(sizes.size());
  llvm::SmallVector<Tensor> pieces;
  if (sizes.size() == 1 || llvm::is_contained(sizes, 0) || evaluates(x.shape(), {&x})) {
    int64_t start = 0;
    for (int64_t size : sizes) {
      pieces.push_back(slice(x, axis, start, 1, size));
      start += size;
    }
    return pieces;
  }
  llvm::SmallVector<Type> types;
  for (int64_t size : sizes) {
    Shape shape(x.shape());
    shape[axis] = size;
    types.push_back(x.type.clone(shape));
  }
  Value input = materialize(x);
  auto op = input ? graph::SplitOp::create(builder, loc, types, input, static_cast<uint64_t>(axis))
                  : graph::SplitOp();
  if (!op || !finish(op))
    return llvm::SmallVector<Tensor>(sizes.size());
  return llvm::map_to_vector(op.getResults(), [](Value value) { return Tensor::of(value); });
}

Tensor Emitter::wrapNegative(const Tensor &indices, int64_t size) {
  Tensor isNegative = compare(graph::Direction::LT, indices, scalarLike(indices, 0));
  Tensor wrapped = binary<graph::AddOp>(indices, scalarLike(indices, static_cast<double>(size)));
  return select(isNegative, wrapped, indices);
}

Tensor Emitter::gather(const Tensor &x, const Tensor &indices, int64_t axis) {
  if (!x || !indices)
    return {};
  if (!indices.elementType().isSignlessInteger(32) &&
      !indices.elementType().isSignlessInteger(64)) {
    error() << "expected indices of type i32 or i64, got " << indices.elementType();
    return {};
  }
  int64_t size = x.shape()[axis];
  Tensor wrapped = wrapNegative(indices, size);
  auto isOutside = [size](Element index) { return index.i < 0 || index.i >= size; };
  if (wrapped.known && llvm::any_of(wrapped.known->elements.elements(), isOutside)) {
    error() << "an index is out of range for dimension " << axis << " of "
            << formatShape(x.shape());
    return {};
  }
  Shape shape(x.shape().take_front(axis));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  if (!isAddressable(shape)) {
    error() << "the result " << formatShape(shape) << " is too large";
    return {};
  }
  if (wrapped && llvm::is_contained(shape, 0))
    return Tensor::empty(x.type.clone(shape));
  if (wrapped && evaluates(shape, {&x, &wrapped}))
    return Tensor::of(evaluateGather(*x.known, *wrapped.known, axis));
  Value input = materialize(x), rows = materialize(wrapped);
  if (!input || !rows)
    return {};
  return finish(graph::GatherOp::create(builder, loc, input, rows, axis));
}

Tensor Emitter::iota(Type elementType, int64_t count) {
  if (count <= maxFoldedElements) {
    auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, count));
    return Tensor::of(evaluateCast(Constant::integers(context(), numbers), elementType));
  }
  auto type = RankedTensorType::get({count}, elementType);
  return finish(graph::IotaOp::create(builder, loc, type, static_cast<uint64_t>(0)));
}

Tensor Emitter::positionAlong(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  Shape own(shape.size() - axis, 1);
  own.front() = shape[axis];
  return reshape(iota(builder.getI64Type(), shape[axis]), own);
}

} // namespace pcc::import
