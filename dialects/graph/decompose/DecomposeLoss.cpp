// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes losses into reductions and elementwise ops.
#include "dialects/graph/decompose/Decompose.h"

#include "dialects/graph/decompose/LossDecomposition.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

/// Returns the sum or mean over the samples whose label is not `ignored`. Means are taken in f32:
/// f16 and bf16 cannot count beyond 2048 and 256.
static Value combineCounted(Value losses, Value labels, int64_t ignored, LossReduction reduction,
                            DecompositionBuilder &builder) {
  Value counted = buildCountedMask(labels, ignored, builder);
  Value kept = maskLosses(losses, counted, builder);
  if (reduction == LossReduction::Sum)
    return reduceAll(ReduceOpKind::Sum, kept, builder);
  Type wide = accumulatorOf(getElementTypeOrSelf(losses));
  Value sum = reduceAll(ReduceOpKind::Sum, builder.castTo(kept, wide), builder);
  Value ones = builder.castTo(counted, wide);
  Value mean = builder.make<DivOp>(sum, reduceAll(ReduceOpKind::Sum, ones, builder));
  return builder.castTo(mean, getElementTypeOrSelf(losses));
}

/// Combines the losses of all samples into one number. Samples with the label `ignored` do not
/// count.
static Value combine(Value losses, Value labels, std::optional<int64_t> ignored,
                     LossReduction reduction, DecompositionBuilder &builder) {
  if (ignored)
    return combineCounted(losses, labels, *ignored, reduction, builder);
  bool isMean = reduction == LossReduction::Mean;
  return reduceAll(isMean ? ReduceOpKind::Mean : ReduceOpKind::Sum, losses, builder);
}

Decomposition pcc::graph::decompose(SoftmaxCrossEntropyOp op, DecompositionBuilder &builder) {
  Value logits = op.getLogits(), labels = op.getLabels();
  int64_t axis = op.getLogits().getType().getRank() - 1;
  bool dense = isa<FloatType>(op.getLabels().getType().getElementType());
  Value weights = dense ? labels : builder.make<OneHotOp>(logits.getType(), labels, axis);
  Value losses = buildSampleLosses(logits, weights, builder, joinOneBlock);
  return {combine(losses, labels, op.getIgnoreIndex(), op.getReduction(), builder)};
}

/// Leaves the other classes out instead of multiplying them by zero: they may be minus infinity.
Decomposition pcc::graph::decompose(NllOp op, DecompositionBuilder &builder) {
  Value x = op.getLogProbabilities(), labels = op.getLabels();
  auto type = op.getLogProbabilities().getType();
  int64_t axis = type.getRank() - 1;
  auto numbers = type.clone(builder.getI64Type());
  Value classes = builder.make<IotaOp>(numbers, axis);
  Value label = builder.repeatAlong(builder.castTo(labels, builder.getI64Type()), classes, axis);
  Value isLabel = builder.make<CompareOp>(Direction::EQ, classes, label);
  Value chosen = builder.make<SelectOp>(isLabel, x, builder.splat(x, 0.0));
  Value losses = builder.make<NegOp>(builder.make<ReduceOp>(ReduceOpKind::Sum, chosen, axis));
  return {combine(losses, labels, op.getIgnoreIndex(), op.getReduction(), builder)};
}

Decomposition pcc::graph::decompose(MseOp op, DecompositionBuilder &builder) {
  Value difference = builder.make<SubOp>(op.getPrediction(), op.getTarget());
  Value squares = builder.make<SquareOp>(difference);
  return {combine(squares, {}, std::nullopt, op.getReduction(), builder)};
}

/// With prediction x and target t: max(x, 0) - x t + log1p(exp(-|x|)), in which no power overflows
/// and no logarithm sees zero.
Decomposition pcc::graph::decompose(SigmoidCrossEntropyOp op, DecompositionBuilder &builder) {
  Value x = op.getPrediction();
  Value power = builder.make<ExpOp>(builder.make<NegOp>(builder.make<AbsOp>(x)));
  Value linear =
      builder.make<SubOp>(builder.make<ReluOp>(x), builder.make<MulOp>(x, op.getTarget()));
  Value losses = builder.make<AddOp>(linear, builder.make<Log1pOp>(power));
  return {combine(losses, {}, std::nullopt, op.getReduction(), builder)};
}
