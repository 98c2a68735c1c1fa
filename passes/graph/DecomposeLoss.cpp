// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its cross entropy as reductions and elementwise ops.
#include "passes/graph/Decompose.h"

#include "dialects/graph/SoftmaxPieces.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

/// All classes are one block.
static Value joinNothing(ReduceOpKind, Value block) { return block; }

Pieces pcc::graph::decompose(SoftmaxOp op, PieceBuilder &builder) {
  return {buildSoftmax(op.getInput(), op.getAxis(), builder, joinNothing)};
}

/// Sum or mean over the samples whose label is not `ignored`. Means are taken in f32: f16 and bf16
/// cannot count beyond 2048 and 256.
static Value combineCounted(Value losses, Value labels, int64_t ignored, LossReduction reduction,
                            PieceBuilder &builder) {
  Value counted = buildKept(labels, ignored, builder);
  Value kept = keepLosses(losses, counted, builder);
  if (reduction == LossReduction::Sum)
    return reduceAll(ReduceOpKind::Sum, kept, builder);
  Type wide = builder.getF32Type();
  Value sum = reduceAll(ReduceOpKind::Sum, builder.castTo(kept, wide), builder);
  Value ones = builder.castTo(counted, wide);
  Value mean = builder.make<DivOp>(sum, reduceAll(ReduceOpKind::Sum, ones, builder));
  return builder.castTo(mean, getElementTypeOrSelf(losses));
}

Pieces pcc::graph::decompose(SoftmaxCrossEntropyOp op, PieceBuilder &builder) {
  Value logits = op.getLogits(), labels = op.getLabels();
  int64_t axis = op.getLogits().getType().getRank() - 1;
  bool dense = isa<FloatType>(op.getLabels().getType().getElementType());
  Value weights = dense ? labels : builder.make<OneHotOp>(logits.getType(), labels, axis);
  Value losses = buildSampleLosses(logits, weights, builder, joinNothing);
  if (std::optional<int64_t> ignored = op.getIgnoreIndex())
    return {combineCounted(losses, labels, *ignored, op.getReduction(), builder)};
  ReduceOpKind kind =
      op.getReduction() == LossReduction::Mean ? ReduceOpKind::Mean : ReduceOpKind::Sum;
  return {reduceAll(kind, losses, builder)};
}
