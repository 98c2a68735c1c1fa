// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops and ops that move elements compute a splat on its only element; the result is a
// splat. Concatenation and reduction expand splats. Results are rounded once, to the element type.
#include "compiler/import/emit/Evaluate.h"

#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace pcc::import {
namespace {

using Tensors = llvm::SmallVector<values::Tensor, 3>;

/// Returns all elements of `x`, with splats expanded.
values::Tensor dense(const Constant &x) {
  if (x.isSplat())
    return values::computeBroadcast(x.elements.reshaped({}), x.shape(), {});
  return x.elements;
}

/// Returns the operands of an elementwise function; scalars if all operands are splats.
Tensors elementsOf(llvm::ArrayRef<const Constant *> operands) {
  bool areSplats = llvm::all_of(operands, [](const Constant *x) { return x->isSplat(); });
  Tensors elements;
  for (const Constant *x : operands)
    elements.push_back(areSplats ? x->elements.reshaped({}) : dense(*x));
  return elements;
}

/// Returns the result of an elementwise function on `elementsOf` as a constant of `type`.
Constant fromElements(RankedTensorType type, const values::Tensor &elements) {
  values::Tensor rounded = elements.rounded(values::Precision::Element);
  return rounded.size() == 1 ? Constant::splat(type, rounded) : Constant::of(type, rounded);
}

/// Returns `x` with its elements moved by `move`, which returns a tensor of `shape`.
Constant moved(const Constant &x, llvm::ArrayRef<int64_t> shape,
               llvm::function_ref<values::Tensor(const values::Tensor &)> move) {
  RankedTensorType type = x.type.clone(shape);
  return x.isSplat() ? Constant::splat(type, x.elements) : Constant::of(type, move(x.elements));
}

} // namespace

std::optional<Constant> evaluateElementwise(llvm::StringRef op,
                                            llvm::ArrayRef<const Constant *> operands) {
  auto result = values::computeElementwise(op, elementsOf(operands));
  return result ? std::optional(fromElements(operands.front()->type, *result)) : std::nullopt;
}

Constant evaluateCompare(graph::Direction direction, const Constant &x, const Constant &y) {
  Tensors in = elementsOf({&x, &y});
  auto type = RankedTensorType::get(x.shape(), IntegerType::get(x.type.getContext(), 1));
  return fromElements(type, values::computeCompare(direction, in[0], in[1]));
}

Constant evaluateSelect(const Constant &predicate, const Constant &x, const Constant &y) {
  Tensors in = elementsOf({&predicate, &x, &y});
  return fromElements(x.type, values::computeSelect(in[0], in[1], in[2]));
}

Constant evaluateCast(const Constant &x, Type elementType) {
  values::ElementType to = *values::elementTypeOf(elementType);
  return fromElements(RankedTensorType::get(x.shape(), elementType),
                      values::computeCast(elementsOf({&x})[0], to));
}

Constant evaluateReshape(const Constant &x, llvm::ArrayRef<int64_t> shape) {
  return moved(x, shape, [&](const values::Tensor &all) { return all.reshaped(shape); });
}

Constant evaluateTranspose(const Constant &x, llvm::ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return x.shape()[dim]; });
  return moved(x, shape, [&](const values::Tensor &all) {
    return values::computeTranspose(all, permutation);
  });
}

Constant evaluateBroadcast(const Constant &x, llvm::ArrayRef<int64_t> shape) {
  int64_t rank = shape.size(), first = rank - x.type.getRank();
  return moved(x, shape, [&](const values::Tensor &all) {
    return values::computeBroadcast(all, shape, llvm::to_vector(llvm::seq<int64_t>(first, rank)));
  });
}

Constant evaluateSlice(const Constant &x, int64_t axis, int64_t start, int64_t stride,
                       int64_t count) {
  llvm::SmallVector<int64_t> shape(x.shape());
  shape[axis] = count;
  return moved(x, shape, [&](const values::Tensor &all) {
    return values::computeSlice(all, axis, start, stride, count);
  });
}

Constant evaluateConcat(llvm::ArrayRef<const Constant *> pieces, int64_t axis) {
  Tensors all;
  for (const Constant *piece : pieces)
    all.push_back(dense(*piece));
  values::Tensor joined = values::concatenate(all, axis);
  return Constant::of(pieces.front()->type.clone(joined.getShape()), joined);
}

Constant evaluateGather(const Constant &x, const Constant &indices, int64_t axis) {
  llvm::SmallVector<int64_t> shape(x.shape().take_front(axis));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  return moved(x, shape, [&](const values::Tensor &all) {
    return values::computeGather(all, dense(indices), axis);
  });
}

std::optional<Constant> evaluateReduce(graph::ReduceOpKind kind, const Constant &x,
                                       llvm::ArrayRef<int64_t> dims) {
  if (kind == graph::ReduceOpKind::Mean && !x.isFloat())
    return std::nullopt;
  values::Tensor reduced = values::computeReduce(kind, dense(x), dims);
  return Constant::of(x.type.clone(reduced.getShape()), reduced);
}

} // namespace pcc::import
