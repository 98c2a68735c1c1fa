// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of losses.
#include "passes/autodiff/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// The gradient of the sum of the losses of the samples: with `mean`, divided by their number, that
/// of the samples that count if some are ignored.
static Value gradientOfSum(Backward &b, SoftmaxCrossEntropyOp op, Value counts) {
  if (op.getReduction() == LossReduction::Sum)
    return b.gradient();
  if (!counts) {
    auto logits = cast<RankedTensorType>(op.getLogits().getType());
    double samples = double(logits.getNumElements()) / logits.getShape().back();
    return b.mul(b.gradient(), 1 / samples);
  }
  Type elementType = getElementTypeOrSelf(b.gradient().getType());
  SmallVector<int64_t> all;
  for (size_t dim = 0; dim < shapeOf(counts).size(); ++dim)
    all.push_back(dim);
  Value number = b.make<ReduceOp>(ReduceOpKind::Sum, b.castTo(counts, elementType), all);
  return b.div(b.gradient(), number);
}

/// Class numbers: (softmax(x) - one_hot(label)) times the gradient of the sample's loss.
static void differentiateSparse(Backward &b, SoftmaxCrossEntropyOp op) {
  Value logits = op.getLogits(), labels = op.getLabels();
  ArrayRef<int64_t> shape = shapeOf(logits);
  int64_t classes = shape.size() - 1;
  Value counts;
  if (std::optional<uint64_t> ignored = op.getIgnoreIndex())
    counts = b.compare(Direction::NE, labels, double(int64_t(*ignored)));
  Value sample = b.repeat(gradientOfSum(b, op, counts), shape.drop_back());
  if (counts)
    sample = b.where(counts, sample);
  Value chosen = b.make<OneHotOp>(logits.getType(), labels, classes);
  Value difference = b.sub(b.make<SoftmaxOp>(logits, classes), chosen);
  b.give(0, b.mul(difference, b.unreduce(sample, classes, shape)));
}

/// log softmax(x) = x - max - log(sum(exp(x - max))).
static Value logSoftmax(Backward &b, Value x, int64_t axis) {
  Value shifted = b.sub(x, b.reduceInPlace(ReduceOpKind::Max, x, axis));
  Value total = b.make<ReduceOp>(ReduceOpKind::Sum, b.make<ExpOp>(shifted), axis);
  return b.sub(shifted, b.unreduce(b.make<LogOp>(total), axis, shapeOf(x)));
}

/// Probabilities t, whose sum over the classes need not be one: softmax(x) sum(t) - t for the
/// logits, -log softmax(x) for t.
static void differentiateDense(Backward &b, SoftmaxCrossEntropyOp op) {
  Value logits = op.getLogits();
  Value labels = b.castTo(op.getLabels(), getElementTypeOrSelf(logits.getType()));
  int64_t classes = shapeOf(logits).size() - 1;
  Value scale = b.repeat(gradientOfSum(b, op, Value()), shapeOf(logits));
  if (b.wants(0)) {
    Value mass = b.reduceInPlace(ReduceOpKind::Sum, labels, classes);
    Value difference = b.sub(b.mul(b.make<SoftmaxOp>(logits, classes), mass), labels);
    b.give(0, b.mul(difference, scale));
  }
  if (b.wants(1)) {
    Value gradient = b.neg(b.mul(logSoftmax(b, logits, classes), scale));
    b.give(1, b.castTo(gradient, getElementTypeOrSelf(op.getLabels().getType())));
  }
}

void addLossDerivatives(DerivativeTable &table) {
  table.rule<SoftmaxCrossEntropyOp>([](Backward &b) {
    auto op = b.op<SoftmaxCrossEntropyOp>();
    if (isa<FloatType>(getElementTypeOrSelf(op.getLabels().getType())))
      return differentiateDense(b, op);
    differentiateSparse(b, op);
  });
}

} // namespace pcc::autodiff
