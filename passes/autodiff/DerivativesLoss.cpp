// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of losses.
#include "passes/autodiff/Derivatives.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// True for the samples that have a class number and are not ignored: the others have no term.
static Value haveTerm(Backward &b, SoftmaxCrossEntropyOp op) {
  Value labels = op.getLabels();
  Value isClass = b.isIndex(labels, shapeOf(op.getLogits()).back());
  if (auto ignored = op.getIgnoreIndex())
    return b.make<AndOp>(isClass, b.compare(Direction::NE, labels, *ignored));
  return isClass;
}

/// The gradient of the sum of the samples' losses: with `mean`, divided by the number of samples,
/// of those that are not ignored if an index is.
static Value gradientOfSum(Backward &b, SoftmaxCrossEntropyOp op) {
  if (op.getReduction() == LossReduction::Sum)
    return b.gradient();
  auto ignored = op.getIgnoreIndex();
  if (!ignored) {
    auto logits = cast<RankedTensorType>(op.getLogits().getType());
    return b.mul(b.gradient(), double(logits.getShape().back()) / logits.getNumElements());
  }
  Value counts = b.castTo(b.compare(Direction::NE, op.getLabels(), *ignored),
                          getElementTypeOrSelf(b.gradient().getType()));
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(counts).size()));
  return b.div(b.gradient(), b.make<ReduceOp>(ReduceOpKind::Sum, counts, all));
}

/// Class numbers: (softmax(x) - one_hot(label)) times the gradient of the sample's loss.
static void differentiateSparse(Backward &b, SoftmaxCrossEntropyOp op) {
  Value logits = op.getLogits();
  ArrayRef<int64_t> shape = shapeOf(logits);
  int64_t classes = shape.size() - 1;
  Value perSample = b.repeat(gradientOfSum(b, op), shape.drop_back());
  perSample = b.where(haveTerm(b, op), perSample);
  Value chosen = b.make<OneHotOp>(logits.getType(), op.getLabels(), classes);
  Value difference = b.sub(b.make<SoftmaxOp>(logits, classes), chosen);
  b.give(0, b.mul(difference, b.unreduce(perSample, classes, shape)));
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
  Value labels = op.getLabels();
  int64_t classes = shapeOf(logits).size() - 1;
  Value scale = b.repeat(gradientOfSum(b, op), shapeOf(logits));
  if (b.wants(0)) {
    Value mass = b.reduceInPlace(ReduceOpKind::Sum, labels, classes);
    Value difference = b.sub(b.mul(b.make<SoftmaxOp>(logits, classes), mass), labels);
    b.give(0, b.mul(difference, scale));
  }
  if (b.wants(1))
    b.give(1, b.neg(b.mul(logSoftmax(b, logits, classes), scale)));
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
