// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/derivatives/Backward.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::autodiff {

Value Backward::splat(Type type, double number) {
  return make<graph::ConstantOp>(cast<RankedTensorType>(type), number);
}

Value Backward::isIndex(Value indices, int64_t size) {
  Value isNotNegative = compare(graph::Direction::GE, indices, 0);
  if (!llvm::isIntN(getElementTypeOrSelf(indices.getType()).getIntOrFloatBitWidth(), size))
    return isNotNegative;
  return make<graph::AndOp>(isNotNegative, compare(graph::Direction::LT, indices, size));
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
