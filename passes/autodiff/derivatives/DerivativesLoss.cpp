// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of losses.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

namespace {
/// A loss of samples with class numbers or probabilities; classes are along the last dimension of
/// `input`.
struct SampleLoss {
  Value input, labels;
  LossReduction reduction;
  std::optional<uint64_t> ignored;

  static SampleLoss of(SoftmaxCrossEntropyOp op) {
    return {op.getLogits(), op.getLabels(), op.getReduction(), op.getIgnoreIndex()};
  }
  static SampleLoss of(NllOp op) {
    return {op.getLogProbabilities(), op.getLabels(), op.getReduction(), op.getIgnoreIndex()};
  }

  ArrayRef<int64_t> samples() const { return shapeOf(input).drop_back(); }
  int64_t classAxis() const { return shapeOf(input).size() - 1; }
};
} // namespace

/// True for the samples that have a class number and are not ignored; other samples have no term.
static Value haveTerm(Backward &b, const SampleLoss &loss) {
  Value isClass = b.isIndex(loss.labels, shapeOf(loss.input).back());
  if (loss.ignored)
    return b.make<AndOp>(isClass, b.compare(Direction::NE, loss.labels, int64_t(*loss.ignored)));
  return isClass;
}

/// Returns the gradient of the sum of the samples' losses. For a mean, divides by the number of
/// samples, or of samples that are not ignored.
static Value gradientOfSum(Backward &b, const SampleLoss &loss) {
  if (loss.reduction == LossReduction::Sum)
    return b.gradient();
  if (!loss.ignored)
    return b.mul(b.gradient(), 1.0 / double(llvm::product_of(loss.samples())));
  Value counts = b.castTo(b.compare(Direction::NE, loss.labels, int64_t(*loss.ignored)),
                          getElementTypeOrSelf(b.gradient().getType()));
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(counts).size()));
  return b.div(b.gradient(), b.make<ReduceOp>(ReduceOpKind::Sum, counts, all));
}

/// Returns the gradient of each sample's loss, repeated for its classes.
static Value gradientOfSamples(Backward &b, const SampleLoss &loss) {
  Value perSample = b.repeat(gradientOfSum(b, loss), loss.samples());
  perSample = b.where(haveTerm(b, loss), perSample);
  return b.unreduce(perSample, loss.classAxis(), shapeOf(loss.input));
}

/// Returns one at each sample's class.
static Value chosenClasses(Backward &b, const SampleLoss &loss) {
  return b.make<OneHotOp>(cast<RankedTensorType>(loss.input.getType()), loss.labels,
                          loss.classAxis());
}

/// Class numbers: (softmax(x) - one_hot(label)) times the gradient of the sample's loss.
static void differentiateSparse(Backward &b, const SampleLoss &loss) {
  Value scale = gradientOfSamples(b, loss);
  Value chosen = chosenClasses(b, loss);
  Value difference = b.sub(b.make<SoftmaxOp>(loss.input, loss.classAxis()), chosen);
  b.setGradient(0, b.mul(difference, scale));
}

static void differentiateNll(Backward &b) {
  SampleLoss loss = SampleLoss::of(b.op<NllOp>());
  b.setGradient(0, b.neg(b.mul(chosenClasses(b, loss), gradientOfSamples(b, loss))));
}

/// Probabilities t, whose sum over the classes need not be one: softmax(x) sum(t) - t for the
/// logits, -log softmax(x) for t.
static void differentiateDense(Backward &b, const SampleLoss &loss) {
  int64_t classes = loss.classAxis();
  Value scale = b.repeat(gradientOfSum(b, loss), shapeOf(loss.input));
  if (b.wants(0)) {
    Value mass = b.reduceInPlace(ReduceOpKind::Sum, loss.labels, classes);
    Value difference = b.sub(b.mul(b.make<SoftmaxOp>(loss.input, classes), mass), loss.labels);
    b.setGradient(0, b.mul(difference, scale));
  }
  if (b.wants(1))
    b.setGradient(1, b.neg(b.mul(b.make<LogSoftmaxOp>(loss.input, classes), scale)));
}

/// Returns the gradient of each element's term of a mean or a sum over all elements.
template <typename Op> static Value gradientOfElements(Backward &b, Op op) {
  RankedTensorType type = op.getPrediction().getType();
  Value gradient = b.gradient();
  if (op.getReduction() == LossReduction::Mean)
    gradient = b.mul(gradient, 1.0 / double(type.getNumElements()));
  return b.repeat(gradient, type.getShape());
}

/// 2 (prediction - target), and the opposite for the target.
static void differentiateMse(Backward &b) {
  auto op = b.op<MseOp>();
  Value difference = b.sub(op.getPrediction(), op.getTarget());
  Value slope = b.mul(b.mul(difference, 2), gradientOfElements(b, op));
  b.setGradient(0, slope);
  if (b.wants(1))
    b.setGradient(1, b.neg(slope));
}

/// sigmoid(prediction) - target, and -prediction for the target.
static void differentiateSigmoidCrossEntropy(Backward &b) {
  auto op = b.op<SigmoidCrossEntropyOp>();
  Value gradient = gradientOfElements(b, op);
  if (b.wants(0)) {
    Value difference = b.sub(b.make<SigmoidOp>(op.getPrediction()), op.getTarget());
    b.setGradient(0, b.mul(difference, gradient));
  }
  if (b.wants(1))
    b.setGradient(1, b.neg(b.mul(op.getPrediction(), gradient)));
}

void addLossDerivatives(DerivativeTable &table) {
  table.rule<SoftmaxCrossEntropyOp>([](Backward &b) {
    SampleLoss loss = SampleLoss::of(b.op<SoftmaxCrossEntropyOp>());
    if (isa<FloatType>(getElementTypeOrSelf(loss.labels.getType())))
      return differentiateDense(b, loss);
    differentiateSparse(b, loss);
  });
  table.rule<NllOp>(differentiateNll);
  table.rule<MseOp>(differentiateMse);
  table.rule<SigmoidCrossEntropyOp>(differentiateSigmoidCrossEntropy);
}

} // namespace pcc::autodiff
