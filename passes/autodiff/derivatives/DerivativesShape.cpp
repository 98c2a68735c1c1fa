// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of ops that move elements to places known from attributes and types. They save
// nothing: the gradient takes the same way back.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// The tensor type of `value`'s elements in another shape.
static RankedTensorType reshaped(Value value, ArrayRef<int64_t> shape) {
  return cast<RankedTensorType>(value.getType()).clone(shape);
}

static void differentiateTranspose(Backward &b) {
  auto inverse = invertPermutationVector(b.op<TransposeOp>().getPermutation());
  b.setGradient(0, b.make<TransposeOp>(b.gradient(), inverse));
}

/// Sums over the dimensions that the broadcast made or stretched. Stretched dimensions have size
/// one in the operand: the reduction drops them, and a reshape brings them back.
static void differentiateBroadcast(Backward &b) {
  ArrayRef<int64_t> dims = b.op<BroadcastOp>().getDims();
  ArrayRef<int64_t> from = shapeOf(b.operand()), to = shapeOf(b.result());
  SmallVector<int64_t> summed;
  for (int64_t dim : llvm::seq<int64_t>(0, to.size())) {
    const int64_t *source = llvm::find(dims, dim);
    if (source == dims.end() || from[source - dims.begin()] != to[dim])
      summed.push_back(dim);
  }
  Value gradient = b.gradient();
  if (!summed.empty())
    gradient = b.make<ReduceOp>(ReduceOpKind::Sum, gradient, summed);
  if (shapeOf(gradient) != from)
    gradient = b.make<ReshapeOp>(b.operand().getType(), gradient);
  b.setGradient(0, gradient);
}

/// Puts `stride` - 1 zeros after every element along `axis`: adds a dimension of size one, pads it
/// and merges it with the axis.
static Value spread(Backward &b, Value value, int64_t axis, int64_t stride) {
  if (stride == 1)
    return value;
  SmallVector<int64_t> shape(shapeOf(value));
  shape.insert(shape.begin() + axis + 1, 1);
  Value apart = b.make<ReshapeOp>(reshaped(value, shape), value);
  Value padded = b.make<PadOp>(apart, axis + 1, /*low=*/0, /*high=*/stride - 1, APFloat(0.0));
  shape.erase(shape.begin() + axis + 1);
  shape[axis] *= stride;
  return b.make<ReshapeOp>(reshaped(value, shape), padded);
}

/// Puts zeros around the gradient, and between its elements if the slice had a stride. A slice with
/// negative stride is first reversed, so that its least index comes first. The stride of a single
/// element may be any number and means nothing.
static void differentiateSlice(Backward &b) {
  auto op = b.op<SliceOp>();
  Value gradient = b.gradient();
  int64_t axis = op.getAxis(), start = op.getStart();
  int64_t count = shapeOf(gradient)[axis], size = shapeOf(b.operand())[axis];
  int64_t stride = count == 1 ? 1 : op.getStride();
  if (stride < 0) {
    gradient = b.make<SliceOp>(gradient.getType(), gradient, axis, count - 1, -1);
    start += (count - 1) * stride;
    stride = -stride;
  }
  gradient = spread(b, gradient, axis, stride);
  // The zeros after the last element may reach past the end: a negative width cuts them off.
  int64_t behind = size - start - count * stride;
  if (start != 0 || behind != 0)
    gradient = b.make<PadOp>(gradient, axis, start, behind, APFloat(0.0));
  b.setGradient(0, gradient);
}

/// Pads by the opposite widths: added elements are cut off, cut elements have gradient zero.
static void differentiatePad(Backward &b) {
  auto op = b.op<PadOp>();
  b.setGradient(
      0, b.make<PadOp>(b.gradient(), op.getAxis(), -op.getLow(), -op.getHigh(), APFloat(0.0)));
}

static void differentiateConcat(Backward &b) {
  auto op = b.op<ConcatOp>();
  auto pieces = SplitOp::create(b, op->getOperandTypes(), b.gradient(), op.getAxis());
  for (auto [index, piece] : llvm::enumerate(pieces.getResults()))
    b.setGradient(index, piece);
}

/// Unused parts have no gradient: zeros stand in for them.
static void differentiateSplit(Backward &b) {
  auto op = b.op<SplitOp>();
  SmallVector<Value> pieces;
  for (OpResult result : op.getResults()) {
    Value gradient = b.gradient(result.getResultNumber());
    pieces.push_back(gradient ? gradient : b.like(result, 0));
  }
  b.setGradient(0, b.make<ConcatOp>(pieces, op.getAxis()));
}

void addShapeDerivatives(DerivativeTable &table) {
  table.rule<ReshapeOp>([](Backward &b) {
    b.setGradient(0, b.make<ReshapeOp>(b.operand().getType(), b.gradient()));
  });
  table.rule<TransposeOp>(differentiateTranspose);
  table.rule<BroadcastOp>(differentiateBroadcast);
  table.rule<SliceOp>(differentiateSlice);
  table.rule<PadOp>(differentiatePad);
  table.rule<ConcatOp>(differentiateConcat);
  table.rule<SplitOp>(differentiateSplit);
}

} // namespace pcc::autodiff
