// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subtracts the maximum before the exponential. A split axis costs two reductions over its blocks:
// one of the maximum and one of the sum.
#include "dialects/graph/decompose/SoftmaxDecomposition.h"

using namespace mlir;

namespace pcc::graph {

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

} // namespace pcc::graph
