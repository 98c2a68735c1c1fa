// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the collectives: groups partition the ranks, axes exist, sizes divide.
#include "dialects/dist/Checks.h"
#include "dialects/dist/Group.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

static LogicalResult verifyAxis(Operation *op, StringRef name, int64_t axis,
                                RankedTensorType type) {
  if (axis < 0 || axis >= type.getRank()) // C10
    return op->emitOpError() << "expected \"" << name << "\" to be a dimension of " << type
                             << ", got " << axis;
  return success();
}

/// Divides dimension `axis` of `shape` by the group's size.
static LogicalResult divideAxis(Operation *op, int64_t axis, int64_t groupSize,
                                MutableArrayRef<int64_t> shape) {
  if (shape[axis] % groupSize) // C12
    return op->emitOpError() << "dimension " << axis << " of size " << shape[axis]
                             << " is not divisible by the group's " << groupSize
                             << " ranks; counts that divide: " << listDivisors(shape[axis]);
  shape[axis] /= groupSize;
  return success();
}

static LogicalResult verifyResult(Operation *op, RankedTensorType input, ArrayRef<int64_t> shape) {
  Type expected = input.clone(shape), got = op->getResult(0).getType();
  if (expected != got) // C11
    return op->emitOpError() << "expected a result of type " << expected << ", got " << got;
  return success();
}

static LogicalResult verifyRoot(Operation *op, int64_t root, GroupAttr group) {
  if (failed(checkGroup(op, group)))
    return failure();
  for (const RankList &members : getGroups(group, getMesh(op)))
    if (root < 0 || root >= static_cast<int64_t>(members.size())) // C13
      return op->emitOpError() << "expected \"root\" to be a position in a group of "
                               << members.size() << " ranks, got " << root;
  return success();
}

LogicalResult AllReduceOp::verify() { return checkGroup(*this, getGroupAttr()); }
LogicalResult MirrorOp::verify() {
  if (getMean()) // one size divides all gradients
    return success(succeeded(getEqualGroupSize(*this, getGroupAttr())));
  return checkGroup(*this, getGroupAttr());
}
LogicalResult BarrierOp::verify() { return checkGroup(*this, getGroupAttr()); }
LogicalResult RankOp::verify() { return checkGroup(*this, getGroupAttr()); }
LogicalResult GroupSizeOp::verify() { return checkGroup(*this, getGroupAttr()); }
LogicalResult BroadcastOp::verify() { return verifyRoot(*this, getRoot(), getGroupAttr()); }
LogicalResult ReduceOp::verify() { return verifyRoot(*this, getRoot(), getGroupAttr()); }

LogicalResult AllGatherOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  if (failed(size) || failed(verifyAxis(*this, "axis", getAxis(), type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[getAxis()] *= *size;
  return verifyResult(*this, type, shape);
}

LogicalResult ReduceScatterOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  if (failed(size) || failed(verifyAxis(*this, "axis", getAxis(), type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (failed(divideAxis(*this, getAxis(), *size, shape)))
    return failure();
  return verifyResult(*this, type, shape);
}

LogicalResult AllToAllOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  FailureOr<int64_t> size = getEqualGroupSize(*this, getGroupAttr());
  if (failed(size) || failed(verifyAxis(*this, "split_axis", getSplitAxis(), type)) ||
      failed(verifyAxis(*this, "concat_axis", getConcatAxis(), type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (failed(divideAxis(*this, getSplitAxis(), *size, shape)))
    return failure();
  shape[getConcatAxis()] *= *size;
  return verifyResult(*this, type, shape);
}
