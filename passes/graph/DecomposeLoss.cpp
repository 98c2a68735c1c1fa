// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its cross entropy as reductions and elementwise ops.
#include "passes/graph/Decompose.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

/// x minus its maximum along `axis`: the exponential of the result is at most 1.
static Value subtractMaximum(Value x, int64_t axis, PieceBuilder &builder) {
  Value maximum = builder.make<ReduceOp>(ReduceOpKind::Max, x, axis);
  return builder.make<SubOp>(x, builder.repeatAlong(maximum, x, axis));
}

Pieces pcc::graph::decompose(SoftmaxOp op, PieceBuilder &builder) {
  Value power = builder.make<ExpOp>(subtractMaximum(op.getInput(), op.getAxis(), builder));
  Value sum = builder.make<ReduceOp>(ReduceOpKind::Sum, power, op.getAxis());
  return {builder.make<DivOp>(power, builder.repeatAlong(sum, power, op.getAxis()))};
}

/// -Σ weights · log softmax, one number per sample. A label outside the classes weighs none.
static Value sampleLosses(Value logits, Value weights, int64_t axis, PieceBuilder &builder) {
  Value shifted = subtractMaximum(logits, axis, builder);
  Value sum = builder.make<ReduceOp>(ReduceOpKind::Sum, builder.make<ExpOp>(shifted), axis);
  Value logSum = builder.make<LogOp>(sum);
  Value logSoftmax = builder.make<SubOp>(shifted, builder.repeatAlong(logSum, shifted, axis));
  Value product = builder.make<MulOp>(weights, logSoftmax);
  return builder.make<NegOp>(builder.make<ReduceOp>(ReduceOpKind::Sum, product, axis));
}

static Value reduceAll(ReduceOpKind kind, Value x, PieceBuilder &builder) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  return builder.make<ReduceOp>(kind, x, dims);
}

/// `x` with elements of f32: f16 and bf16 cannot count beyond 2048 and 256.
static Value widened(Value x, PieceBuilder &builder) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getElementType().isF32())
    return x;
  return builder.make<CastOp>(type.clone(builder.getF32Type()), x);
}

/// Sum or mean over the samples whose label is not `ignored`.
static Value combineCounted(Value losses, Value labels, int64_t ignored, LossReduction reduction,
                            PieceBuilder &builder) {
  auto type = cast<RankedTensorType>(labels.getType());
  APInt number(type.getElementTypeBitWidth(), ignored, /*isSigned=*/true);
  Value sentinel = builder.make<ConstantOp>(type, DenseElementsAttr::get(type, number));
  Value counts = builder.make<CompareOp>(Direction::NE, labels, sentinel);
  Value kept = builder.make<SelectOp>(counts, losses, builder.splat(losses, 0.0));
  if (reduction == LossReduction::Sum)
    return reduceAll(ReduceOpKind::Sum, kept, builder);
  Value sum = reduceAll(ReduceOpKind::Sum, widened(kept, builder), builder);
  Value ones = builder.make<CastOp>(type.clone(builder.getF32Type()), counts);
  Value mean = builder.make<DivOp>(sum, reduceAll(ReduceOpKind::Sum, ones, builder));
  Type element = getElementTypeOrSelf(losses);
  return element.isF32() ? mean : builder.make<CastOp>(RankedTensorType::get({}, element), mean);
}

Pieces pcc::graph::decompose(SoftmaxCrossEntropyOp op, PieceBuilder &builder) {
  Value logits = op.getLogits(), labels = op.getLabels();
  int64_t axis = rankOf(logits) - 1;
  bool dense = isa<FloatType>(op.getLabels().getType().getElementType());
  Value weights = dense ? labels : builder.make<OneHotOp>(logits.getType(), labels, axis);
  Value losses = sampleLosses(logits, weights, axis, builder);
  if (std::optional<int64_t> ignored = op.getIgnoreIndex())
    return {combineCounted(losses, labels, *ignored, op.getReduction(), builder)};
  ReduceOpKind kind =
      op.getReduction() == LossReduction::Mean ? ReduceOpKind::Mean : ReduceOpKind::Sum;
  return {reduceAll(kind, losses, builder)};
}
