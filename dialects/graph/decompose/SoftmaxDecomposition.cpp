// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subtracts the maximum before the exponential. A split axis costs two reductions over its blocks:
// one of the maximum and one of the sum. The sum of a cross entropy adds a third.
#include "dialects/graph/decompose/SoftmaxDecomposition.h"

using namespace mlir;

namespace pcc::graph {

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

/// Subtracts from x its maximum along `axis`, so that the exponential of the result is at most 1.
static Value subtractMaximum(Value x, int64_t axis, DecompositionBuilder &builder,
                             JoinBlocks joinBlocks) {
  Value block = builder.make<ReduceOp>(ReduceOpKind::Max, x, axis);
  Value maximum = joinBlocks(ReduceOpKind::Max, block);
  return builder.make<SubOp>(x, builder.repeatAlong(maximum, x, axis));
}

static Value sumAlong(Value x, int64_t axis, DecompositionBuilder &builder, JoinBlocks joinBlocks) {
  return joinBlocks(ReduceOpKind::Sum, builder.make<ReduceOp>(ReduceOpKind::Sum, x, axis));
}

Value buildSoftmax(Value input, int64_t axis, DecompositionBuilder &builder,
                   JoinBlocks joinBlocks) {
  Value power = builder.make<ExpOp>(subtractMaximum(input, axis, builder, joinBlocks));
  Value sum = sumAlong(power, axis, builder, joinBlocks);
  return builder.make<DivOp>(power, builder.repeatAlong(sum, power, axis));
}

Value buildLogSoftmax(Value input, int64_t axis, DecompositionBuilder &builder,
                      JoinBlocks joinBlocks) {
  Value shifted = subtractMaximum(input, axis, builder, joinBlocks);
  Value sum = sumAlong(builder.make<ExpOp>(shifted), axis, builder, joinBlocks);
  Value logSum = builder.make<LogOp>(sum);
  return builder.make<SubOp>(shifted, builder.repeatAlong(logSum, shifted, axis));
}

Value buildSampleLosses(Value logits, Value weights, DecompositionBuilder &builder,
                        JoinBlocks joinBlocks) {
  int64_t axis = rankOf(logits) - 1;
  Value logSoftmax = buildLogSoftmax(logits, axis, builder, joinBlocks);
  Value product = builder.make<MulOp>(weights, logSoftmax);
  // A class of weight zero has no term, even if its logarithm is minus infinity.
  Value zero = builder.splat(weights, 0.0);
  Value counts = builder.make<CompareOp>(Direction::NE, weights, zero);
  Value terms = builder.make<SelectOp>(counts, product, zero);
  return builder.make<NegOp>(sumAlong(terms, axis, builder, joinBlocks));
}

Value buildCountedMask(Value labels, int64_t ignored, DecompositionBuilder &builder) {
  auto type = cast<RankedTensorType>(labels.getType());
  APInt number(type.getElementTypeBitWidth(), ignored, /*isSigned=*/true);
  Value sentinel = builder.make<ConstantOp>(type, DenseElementsAttr::get(type, number));
  return builder.make<CompareOp>(Direction::NE, labels, sentinel);
}

Value maskLosses(Value losses, Value counted, DecompositionBuilder &builder) {
  return builder.make<SelectOp>(counted, losses, builder.splat(losses, 0.0));
}

Value reduceAll(ReduceOpKind kind, Value value, DecompositionBuilder &builder) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(value)));
  return builder.make<ReduceOp>(kind, value, dims);
}

} // namespace pcc::graph
