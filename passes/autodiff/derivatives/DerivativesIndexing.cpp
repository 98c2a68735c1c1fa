// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of ops that choose elements by computed indices. They save the indices only.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

static void differentiateDynamicSlice(Backward &b) {
  auto op = b.op<DynamicSliceOp>();
  Value zeros = b.like(op.getInput(), 0);
  b.setGradient(0, b.make<DynamicUpdateSliceOp>(zeros, b.gradient(), op.getStart(), op.getAxis()));
}

static void differentiateDynamicUpdateSlice(Backward &b) {
  auto op = b.op<DynamicUpdateSliceOp>();
  if (b.wants(0)) {
    Value zeros = b.like(op.getUpdate(), 0);
    b.setGradient(0,
                  b.make<DynamicUpdateSliceOp>(b.gradient(), zeros, op.getStart(), op.getAxis()));
  }
  if (b.wants(1))
    b.setGradient(1, b.make<DynamicSliceOp>(op.getUpdate().getType(), b.gradient(), op.getStart(),
                                            op.getAxis()));
}

/// Returns the gradient of each read of a row, divided by the number of reads of that row. Numbers
/// of f16 and bf16 cannot count beyond 2048 and 256.
static Value divideByReads(Backward &b, GatherOp op, Value indices) {
  auto type = cast<RankedTensorType>(b.gradient().getType());
  int64_t axis = op.getAxis();
  Type element = type.getElementType();
  Type wide = element.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : element;
  auto counts = RankedTensorType::get({shapeOf(op.getInput())[axis]}, wide);
  Value ones = b.splat(RankedTensorType::get(shapeOf(indices), wide), 1);
  Value reads = b.make<ScatterAddOp>(b.splat(counts, 0), indices, ones, /*axis=*/0);
  Value own = b.castTo(b.make<GatherOp>(reads, indices, /*axis=*/0), element);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(axis, axis + shapeOf(indices).size()));
  return b.div(b.gradient(), b.make<BroadcastOp>(type, own, dims));
}

/// Rows may be read more than once, so their gradients add up. A gather moves indices out of range
/// to the nearest legal one, but a scatter_add drops them. So they are clamped first. The index of
/// padding is moved out of range, so that its row gets no gradient.
static void differentiateGather(Backward &b) {
  auto op = b.op<GatherOp>();
  int64_t last = shapeOf(op.getInput())[op.getAxis()] - 1;
  Value indices = b.make<ClampOp>(op.getIndices(), APFloat(0.0), APFloat(double(last)));
  Value gradient = op.getMeanGradient() ? divideByReads(b, op, indices) : b.gradient();
  if (std::optional<int64_t> padding = op.getPaddingIndex()) {
    Value isPadding = b.compare(Direction::EQ, indices, double(*padding));
    indices = b.select(isPadding, b.like(indices, -1), indices);
  }
  Value zeros = b.like(op.getInput(), 0);
  b.setGradient(0, b.make<ScatterAddOp>(zeros, indices, gradient, op.getAxis()));
}

/// Updates with an index out of range were dropped: their gradient is zero.
static void differentiateScatterAdd(Backward &b) {
  auto op = b.op<ScatterAddOp>();
  b.setGradient(0, b.gradient());
  if (!b.wants(2))
    return;
  Value indices = op.getIndices();
  int64_t axis = op.getAxis();
  Value legal = b.isIndex(indices, shapeOf(op.getInput())[axis]);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(axis, axis + shapeOf(indices).size()));
  Value mask = b.make<BroadcastOp>(boolTensorLike(op.getUpdates().getType()), legal, dims);
  b.setGradient(2, b.where(mask, b.make<GatherOp>(b.gradient(), indices, axis)));
}

void addIndexingDerivatives(DerivativeTable &table) {
  table.rule<DynamicSliceOp>(differentiateDynamicSlice);
  table.rule<DynamicUpdateSliceOp>(differentiateDynamicUpdateSlice);
  table.rule<GatherOp>(differentiateGather);
  table.rule<ScatterAddOp>(differentiateScatterAdd);
}

} // namespace pcc::autodiff
