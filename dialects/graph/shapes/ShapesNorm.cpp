// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of normalizations; labels as in docs/spec/graph.md.
#include "dialects/graph/verify/Checks.h"

using namespace mlir;
using namespace pcc::graph;

LogicalResult SoftmaxOp::verify() {
  return checkAxis(reporterOf(*this), getAxis(), getInput().getType().getRank()); // C1
}

LogicalResult LogSoftmaxOp::verify() {
  return checkAxis(reporterOf(*this), getAxis(), getInput().getType().getRank()); // C1
}

/// Checks an epsilon, which keeps a root above zero.
static LogicalResult checkEpsilon(const Reporter &report, const APFloat &epsilon) {
  if (epsilon.isFinite() && !epsilon.isNegative())
    return success();
  return report.error("expected 'epsilon' not to be negative, got ", epsilon.convertToDouble());
}

/// Checks that `axis` exists and that a factor or summand has the shape of the dimensions from
/// there on.
static LogicalResult checkTrailing(const Reporter &report, RankedTensorType input, int64_t axis,
                                   StringRef name, Value value) {
  if (failed(checkAxis(report, axis, input.getRank()))) // C1
    return failure();
  auto type = cast<RankedTensorType>(value.getType());
  if (failed(checkShape(report, name, input.getShape().drop_front(axis), type.getShape()))) // C2
    return failure();
  return checkElements(report, "input", input, name, type); // C3
}

LogicalResult LayerNormOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType input = getInput().getType();
  if (failed(checkTrailing(report, input, getAxis(), "scale", getScale()))) // C1, C2, C3
    return failure();
  if (getBias() && failed(checkTrailing(report, input, getAxis(), "bias", getBias()))) // C2, C3
    return failure();
  return checkEpsilon(report, getEpsilon()); // C4
}

LogicalResult RmsNormOp::verify() {
  Reporter report = reporterOf(*this);
  if (failed(checkTrailing(report, getInput().getType(), getAxis(), "scale",
                           getScale()))) // C1, C2, C3
    return failure();
  return checkEpsilon(report, getEpsilon()); // C4
}

/// Checks that the input has channels, dimension 1, and that `values` has one number for each.
static LogicalResult checkChannels(const Reporter &report, RankedTensorType input, StringRef name,
                                   RankedTensorType values) {
  if (input.getRank() < 2) // C1
    return report.error("expected 'input' of rank 2 or more, got ", input.getRank());
  return checkShape(report, name, input.getDimSize(1), values.getShape()); // C2
}

/// Checks a momentum: a running statistic is a mean of its old and its new value.
static LogicalResult checkMomentum(const Reporter &report, const APFloat &momentum) {
  if (momentum >= APFloat(0.0) && momentum <= APFloat(1.0))
    return success();
  return report.error("expected 'momentum' in [0, 1], got ", momentum.convertToDouble());
}

template <typename OpT> static LogicalResult verifyBatchNorm(OpT op) {
  Reporter report = reporterOf(op);
  RankedTensorType input = op.getInput().getType();
  if (failed(checkChannels(report, input, "scale", op.getScale().getType())) || // C1, C2
      failed(checkChannels(report, input, "mean", op.getMean().getType())) ||   // C2
      failed(checkEpsilon(report, op.getEpsilon())))                            // C3
    return failure();
  return checkMomentum(report, op.getMomentum()); // C4
}

LogicalResult BatchNormOp::verify() { return verifyBatchNorm(*this); }
LogicalResult BatchNormInferenceOp::verify() { return verifyBatchNorm(*this); }

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  if (!(rate >= 0 && rate < 1)) // C1
    return emitOpError() << "expected 'rate' in [0, 1), got " << rate;
  return success();
}
