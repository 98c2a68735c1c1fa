// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Backward.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::autodiff {

/// `number` as an attribute of an element type.
static TypedAttr elementOf(Type elementType, double number) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, number);
  return IntegerAttr::get(elementType, static_cast<int64_t>(number));
}

Value Backward::splat(Type type, double number) {
  auto tensor = cast<RankedTensorType>(type);
  TypedAttr element = elementOf(tensor.getElementType(), number);
  return make<graph::ConstantOp>(tensor, DenseElementsAttr::get(tensor, Attribute(element)));
}

Value Backward::castTo(Value value, Type elementType) {
  auto tensor = cast<RankedTensorType>(value.getType());
  if (tensor.getElementType() == elementType)
    return value;
  return make<graph::CastOp>(tensor.clone(elementType), value);
}

Value Backward::unreduce(Value value, ArrayRef<int64_t> reducedDims, ArrayRef<int64_t> shape) {
  auto kept = llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(0, shape.size()),
                              [&](int64_t dim) { return !llvm::is_contained(reducedDims, dim); }));
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return make<graph::BroadcastOp>(type, value, kept);
}

Value Backward::reduceInPlace(graph::ReduceOpKind kind, Value value, ArrayRef<int64_t> dims) {
  return unreduce(make<graph::ReduceOp>(kind, value, dims), dims, shapeOf(value));
}

Value Backward::repeat(Value scalar, ArrayRef<int64_t> shape) {
  return unreduce(scalar, llvm::to_vector(llvm::seq<int64_t>(0, shape.size())), shape);
}

} // namespace pcc::autodiff
