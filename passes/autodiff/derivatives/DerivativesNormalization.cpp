// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of normalizations, softmax, log_softmax and dropout. Those of normalizations save the
// input and compute its statistics again; CSE merges these ops with those of the forward pass.
//
// With n = (x - mean) · inverse, y = scale · n + bias and g = dy · scale
//
//   dx = inverse (g - mean of g - n · mean of g n)    root mean square: without the mean of g
//   dscale = Σ dy n    dbias = Σ dy
//
// Means are over the dimensions of the statistics, sums over the dimensions that scale and bias
// lack.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "dialects/graph/decompose/NormDecomposition.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {
namespace {
/// Operands of the derivative of `scale · normalized + bias`.
struct Affine {
  Value gradient;                    ///< of the result, f32 or wider
  Normalized normal;                 ///< of the input, likewise
  NormSpan statistics;               ///< dimensions of the statistics
  SmallVector<int64_t> missing = {}; ///< dimensions that scale and bias lack
};
} // namespace

/// Casts `value` to the element type of `like`.
static Value castLike(Backward &b, Value value, Value like) {
  return b.castTo(value, getElementTypeOrSelf(like.getType()));
}

/// Returns the sum of `value` over the dimensions `dims`, in the type of `like`.
static Value sumTo(Backward &b, Value value, ArrayRef<int64_t> dims, Value like) {
  DecompositionBuilder pieces(b.getLoc(), b);
  return castLike(b, sumOver(value, dims, pieces), like);
}

/// Returns the gradient of the input, from the gradient `gradient` of the normalized value.
static Value throughStatistics(Backward &b, const Affine &affine, Value gradient) {
  const Normalized &normal = affine.normal;
  DecompositionBuilder pieces(b.getLoc(), b);
  auto mean = [&](Value value) {
    Value reduced = meanOver(value, affine.statistics, pieces);
    return pieces.repeatAlong(reduced, value, affine.statistics.dims);
  };
  Value along = b.mul(normal.value, mean(b.mul(gradient, normal.value)));
  Value centered = normal.mean ? b.sub(gradient, mean(gradient)) : gradient;
  return b.mul(normal.inverse, b.sub(centered, along));
}

/// Sets the gradients of operands 0, 1 and, if there is one, 2: the input, scale and bias. `extra`
/// is null or a further gradient of the input.
static void setAffineGradients(Backward &b, const Affine &affine, Value extra = {}) {
  Value gradient = affine.gradient, scale = b.operand(1);
  if (b.wants(0)) {
    Value scales = castLike(b, b.unreduce(scale, affine.missing, shapeOf(gradient)), gradient);
    Value input = throughStatistics(b, affine, b.mul(gradient, scales));
    b.setGradient(0, castLike(b, extra ? b.add(input, extra) : input, b.operand(0)));
  }
  if (b.wants(1))
    b.setGradient(1, sumTo(b, b.mul(gradient, affine.normal.value), affine.missing, scale));
  if (b.operandGradients().size() > 2 && b.wants(2))
    b.setGradient(2, sumTo(b, gradient, affine.missing, b.operand(2)));
}

/// Differentiates layer norm and root mean square norm; `build` computes the statistics.
template <typename Op,
          Normalized (*build)(Value, const APFloat &, const NormSpan &, DecompositionBuilder &)>
static void differentiateTrailing(Backward &b) {
  auto op = b.op<Op>();
  DecompositionBuilder pieces(b.getLoc(), b);
  NormSpan span = NormSpan::from(op.getAxis(), shapeOf(op.getInput()).size());
  Normalized normal = build(op.getInput(), op.getEpsilon(), span, pieces);
  auto before = llvm::to_vector(llvm::seq<int64_t>(0, op.getAxis()));
  setAffineGradients(b, {widen(b.gradient(), pieces), normal, span, before});
}

/// Returns the gradient of the input from the new running statistics; null if no gradient arrived
/// at them. The mean and the variance of the batch are sums over `count` elements / count. Their
/// derivatives by an element are 1 / count and twice its deviation from the mean / count.
static Value fromRunningStatistics(Backward &b, const Normalized &normal, const NormSpan &span) {
  auto op = b.op<BatchNormOp>();
  auto type = cast<RankedTensorType>(normal.value.getType());
  int64_t count = countOf(span, type);
  double share = (1 - op.getMomentum().convertToDouble()) / double(count);
  auto repeat = [&](Value gradient) {
    return b.mul(b.unreduce(castLike(b, gradient, normal.value), span.dims, type.getShape()),
                 share);
  };
  Value sum;
  if (b.gradient(1))
    sum = repeat(b.gradient(1));
  if (!b.gradient(2))
    return sum;
  Value deviation = b.div(normal.value, normal.inverse);
  double factor = 2 * runningShare(op, count);
  Value term = b.mul(repeat(b.gradient(2)), b.mul(deviation, factor));
  return sum ? b.add(sum, term) : term;
}

/// Differentiates through the statistics of the batch. The running statistics have no part in the
/// result. If the new running statistics are read, their gradients flow to the input and to the old
/// statistics.
static void differentiateBatchNorm(Backward &b) {
  auto op = b.op<BatchNormOp>();
  DecompositionBuilder pieces(b.getLoc(), b);
  NormSpan span = NormSpan::ofChannels(shapeOf(op.getInput()).size());
  Normalized normal = buildNormalized(op.getInput(), op.getEpsilon(), span, pieces);
  Value gradient = b.gradient() ? b.gradient() : b.like(b.result(), 0);
  setAffineGradients(b, {widen(gradient, pieces), normal, span, span.dims},
                     fromRunningStatistics(b, normal, span));
  double momentum = op.getMomentum().convertToDouble();
  for (unsigned statistic : {1, 2})
    if (b.gradient(statistic) && b.wants(2 + statistic))
      b.setGradient(2 + statistic, b.mul(b.gradient(statistic), momentum));
}

/// With d = x - mean and r = 1 / sqrt(variance + epsilon): Σ dy and Σ dy d give all gradients
/// except dx.
static void differentiateBatchNormInference(Backward &b) {
  auto op = b.op<BatchNormInferenceOp>();
  DecompositionBuilder pieces(b.getLoc(), b);
  Value gradient = widen(b.gradient(), pieces);
  ArrayRef<int64_t> shape = shapeOf(gradient);
  SmallVector<int64_t> others = NormSpan::ofChannels(shape.size()).dims;
  auto wide = [&](Value value) { return castLike(b, value, gradient); };
  auto repeat = [&](Value value) { return b.unreduce(value, others, shape); };
  Value variance = wide(op.getVariance());
  Value root = b.make<RsqrtOp>(b.add(variance, op.getEpsilon().convertToDouble()));
  Value factor = b.mul(wide(op.getScale()), root);
  if (b.wants(0))
    b.setGradient(0, castLike(b, b.mul(gradient, repeat(factor)), op.getInput()));
  if (b.wants(2))
    b.setGradient(2, sumTo(b, gradient, others, op.getBias()));
  if (b.wants(3))
    b.setGradient(
        3, castLike(b, b.neg(b.mul(factor, sumTo(b, gradient, others, gradient))), op.getMean()));
  if (!b.wants(1) && !b.wants(4))
    return;
  Value deviation = b.sub(wide(op.getInput()), repeat(wide(op.getMean())));
  Value along = b.mul(sumTo(b, b.mul(gradient, deviation), others, gradient), root);
  b.setGradient(1, castLike(b, along, op.getScale()));
  if (b.wants(4)) {
    Value slope = b.mul(b.mul(factor, root), -0.5);
    b.setGradient(4, castLike(b, b.mul(slope, along), op.getVariance()));
  }
}

/// y (g - sum of g y): saves only the result.
static void differentiateSoftmax(Backward &b) {
  Value y = b.result(), gradient = b.gradient();
  int64_t axis = b.op<SoftmaxOp>().getAxis();
  Value sum = b.reduceInPlace(ReduceOpKind::Sum, b.mul(gradient, y), axis);
  b.setGradient(0, b.mul(y, b.sub(gradient, sum)));
}

/// g - softmax(x) · sum of g: saves only the result.
static void differentiateLogSoftmax(Backward &b) {
  Value sum = b.reduceInPlace(ReduceOpKind::Sum, b.gradient(), b.op<LogSoftmaxOp>().getAxis());
  b.setGradient(0, b.sub(b.gradient(), b.mul(b.make<ExpOp>(b.result()), sum)));
}

/// Drops the same elements: saves nothing.
static void differentiateDropout(Backward &b) {
  auto op = b.op<DropoutOp>();
  b.setGradient(0, b.make<DropoutOp>(b.gradient(), op.getIndex(), op.getSeed(), op.getRate()));
}

void addNormalizationDerivatives(DerivativeTable &table) {
  table.rule<SoftmaxOp>(differentiateSoftmax);
  table.rule<LogSoftmaxOp>(differentiateLogSoftmax);
  table.rule<LayerNormOp>(differentiateTrailing<LayerNormOp, buildNormalized>);
  table.rule<RmsNormOp>(differentiateTrailing<RmsNormOp, buildRmsNormalized>);
  table.rule<BatchNormOp>(differentiateBatchNorm);
  table.rule<BatchNormInferenceOp>(differentiateBatchNormInference);
  table.rule<DropoutOp>(differentiateDropout);
}

} // namespace pcc::autodiff
