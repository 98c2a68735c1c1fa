// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds constants, casts and broadcasts whose types follow from another value.
#include "dialects/graph/decompose/DecompositionBuilder.h"

using namespace mlir;
using namespace pcc::graph;

Value DecompositionBuilder::splat(Value like, double value) {
  return make<ConstantOp>(cast<RankedTensorType>(like.getType()), value);
}

Value DecompositionBuilder::repeat(Value scalar, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return make<BroadcastOp>(type, castTo(scalar, type.getElementType()), ArrayRef<int64_t>());
}

Value DecompositionBuilder::repeatAlong(Value reduced, Value like, ArrayRef<int64_t> axes) {
  Type element = cast<RankedTensorType>(reduced.getType()).getElementType();
  auto type = cast<RankedTensorType>(like.getType()).clone(element);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(axes, dim))
      dims.push_back(dim);
  return make<BroadcastOp>(type, reduced, dims);
}

Value DecompositionBuilder::castTo(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return make<CastOp>(type.clone(element), value);
}
