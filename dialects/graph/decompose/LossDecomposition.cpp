// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a cross entropy from the logarithm of the softmax. A split axis costs a reduction over its
// blocks besides those of the softmax.
#include "dialects/graph/decompose/LossDecomposition.h"

using namespace mlir;

namespace pcc::graph {

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

Value buildSampleLosses(Value logits, Value weights, DecompositionBuilder &builder,
                        JoinBlocks joinBlocks) {
  int64_t axis = rankOf(logits) - 1;
  Value logSoftmax = buildLogSoftmax(logits, axis, builder, joinBlocks);
  Value product = builder.make<MulOp>(weights, logSoftmax);
  // A class of weight zero has no term, even if its logarithm is minus infinity.
  Value zero = builder.splat(weights, 0.0);
  Value counts = builder.make<CompareOp>(Direction::NE, weights, zero);
  Value terms = builder.make<SelectOp>(counts, product, zero);
  Value sum = joinBlocks(ReduceOpKind::Sum, builder.make<ReduceOp>(ReduceOpKind::Sum, terms, axis));
  return builder.make<NegOp>(sum);
}

Value buildCountedMask(Value labels, int64_t ignored, DecompositionBuilder &builder) {
  auto type = cast<RankedTensorType>(labels.getType());
  APInt number(type.getElementTypeBitWidth(), ignored, /*isSigned=*/true);
  Value ignoredLabels = builder.make<ConstantOp>(type, DenseElementsAttr::get(type, number));
  return builder.make<CompareOp>(Direction::NE, labels, ignoredLabels);
}

Value maskLosses(Value losses, Value counted, DecompositionBuilder &builder) {
  return builder.make<SelectOp>(counted, losses, builder.splat(losses, 0.0));
}

Value reduceAll(ReduceOpKind kind, Value value, DecompositionBuilder &builder) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(value)));
  return builder.make<ReduceOp>(kind, value, dims);
}

} // namespace pcc::graph
