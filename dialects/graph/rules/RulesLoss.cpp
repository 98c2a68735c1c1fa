// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of losses.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns the rule of a loss over values for each class of each sample. Labels are such values as
/// well (`isDense`) or class numbers. Samples add up: a mean's local form divides by the number of
/// samples that count, on all ranks. Classes are whole: only a local form splits them
/// (LossForms.cpp, `canSplitWhole`).
static FactorRule classLossRule(ArrayRef<int64_t> shape, bool isDense) {
  FactorRule rule;
  TensorFactors samples;
  for (int64_t size : shape.drop_back())
    samples.push_back(rule.addDim(size, FactorKind::Reduce));
  TensorFactors classes = samples;
  classes.push_back(rule.addDim(shape.back(), FactorKind::Whole));
  rule.addOperand(classes);
  rule.addOperand(isDense ? classes : samples);
  rule.addResult({});
  return rule;
}

FactorRule SoftmaxCrossEntropyOp::getFactorRule() {
  RankedTensorType logits = getLogits().getType();
  return classLossRule(logits.getShape(), getLabels().getType().getRank() == logits.getRank());
}

FactorRule NllOp::getFactorRule() {
  return classLossRule(getLogProbabilities().getType().getShape(), /*isDense=*/false);
}

/// Returns the rule of a loss over pairs of elements. All elements add up: a mean's local form
/// multiplies the mean of a block by the block's share of all elements.
static FactorRule elementLossRule(ArrayRef<int64_t> shape) {
  FactorRule rule;
  TensorFactors dims;
  for (int64_t size : shape)
    dims.push_back(rule.addDim(size, FactorKind::Reduce));
  rule.addOperand(dims);
  rule.addOperand(dims);
  rule.addResult({});
  return rule;
}

FactorRule MseOp::getFactorRule() { return elementLossRule(getPrediction().getType().getShape()); }
FactorRule SigmoidCrossEntropyOp::getFactorRule() {
  return elementLossRule(getPrediction().getType().getShape());
}
