// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds these values from `dist.rank` and plain graph ops. The position of a rank times the block
// size is the offset of its block. All indices are computed in integers.
#include "passes/partition/LocalValues.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include <limits>

using namespace mlir;

namespace pcc::partition {

Operation *cloneOn(OpBuilder &builder, Operation *op, ValueRange operands, TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
  Operation *clone = builder.create(state);
  clone->removeAttr(dist::inAttrName);
  clone->removeAttr(dist::outAttrName);
  return clone;
}

Value makePosition(OpBuilder &builder, Location loc, ArrayRef<std::string> axes) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return dist::RankOp::create(builder, loc, type, dist::GroupAttr::get(builder.getContext(), axes));
}

Value makeOffset(OpBuilder &builder, Location loc, ArrayRef<std::string> axes, int64_t blockSize) {
  return scale(builder, loc, makePosition(builder, loc, axes), static_cast<double>(blockSize));
}

Value spread(OpBuilder &builder, Location loc, Value scalar, RankedTensorType type) {
  auto scalarType = cast<RankedTensorType>(scalar.getType());
  if (scalarType.getElementType() != type.getElementType())
    scalar = graph::CastOp::create(builder, loc, scalarType.clone(type.getElementType()), scalar);
  if (type.getRank() == 0)
    return scalar;
  return graph::BroadcastOp::create(builder, loc, type, scalar, builder.getDenseI64ArrayAttr({}));
}

Value widenIndices(OpBuilder &builder, Location loc, Value indices, int64_t size) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (llvm::isIntN(type.getElementTypeBitWidth(), size))
    return indices;
  return graph::CastOp::create(builder, loc, type.clone(builder.getI64Type()), indices);
}

Value makeRelative(OpBuilder &builder, Location loc, Value indices, ArrayRef<std::string> axes,
                   int64_t blockSize, const dist::Mesh &mesh) {
  indices = widenIndices(builder, loc, indices, blockSize * mesh.getSize(axes));
  auto type = cast<RankedTensorType>(indices.getType());
  Value offsets = spread(builder, loc, makeOffset(builder, loc, axes, blockSize), type);
  return graph::SubOp::create(builder, loc, type, indices, offsets);
}

Value takeBlock(OpBuilder &builder, Location loc, Value value, int64_t dim,
                ArrayRef<std::string> axes, const dist::Mesh &mesh) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= mesh.getSize(axes);
  Value start = makeOffset(builder, loc, axes, shape[dim]);
  return graph::DynamicSliceOp::create(builder, loc, type.clone(shape), value, start,
                                       builder.getI64IntegerAttr(dim));
}

/// Returns the neutral element of a reduction. In a constant of integers, an infinity becomes the
/// least or greatest integer.
static double getNeutral(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return 0;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Max:
    return -std::numeric_limits<double>::infinity();
  case ReduceKind::Min:
    return std::numeric_limits<double>::infinity();
  }
  return 0;
}

Value keepOnFirst(OpBuilder &builder, Location loc, Value value, ArrayRef<std::string> axes,
                  ReduceKind kind) {
  auto type = cast<RankedTensorType>(value.getType());
  Value position = makePosition(builder, loc, axes);
  auto scalarType = cast<RankedTensorType>(position.getType());
  Value zero = graph::ConstantOp::create(builder, loc, scalarType, 0.0);
  Value isFirst = graph::CompareOp::create(builder, loc, scalarType.clone(builder.getI1Type()),
                                           graph::Direction::EQ, position, zero);
  Value mask = spread(builder, loc, isFirst, type.clone(builder.getI1Type()));
  Value neutral = graph::ConstantOp::create(builder, loc, type, getNeutral(kind));
  return graph::SelectOp::create(builder, loc, type, mask, value, neutral);
}

Value allReduce(OpBuilder &builder, Location loc, ReduceKind kind, Value value,
                ArrayRef<std::string> axes) {
  if (axes.empty())
    return value;
  return dist::AllReduceOp::create(builder, loc, value.getType(), kind, value,
                                   dist::GroupAttr::get(builder.getContext(), axes));
}

Value scale(OpBuilder &builder, Location loc, Value value, double factor) {
  auto type = cast<RankedTensorType>(value.getType());
  Value constant = graph::ConstantOp::create(builder, loc, type, factor);
  return graph::MulOp::create(builder, loc, type, value, constant);
}

} // namespace pcc::partition
