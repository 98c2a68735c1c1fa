// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of losses.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Samples add up (a mean's local form divides by the count of all samples), classes are whole.
FactorRule SoftmaxCrossEntropyOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> shape = getLogits().getType().getShape();
  TensorFactors samples;
  for (int64_t size : shape.drop_back())
    samples.push_back(rule.addDim(size, FactorKind::Reduce));
  TensorFactors logits = samples;
  logits.push_back(rule.addDim(shape.back(), FactorKind::Whole));
  bool dense = getLabels().getType().getRank() == int64_t(shape.size());
  rule.addOperand(logits);
  rule.addOperand(dense ? logits : samples);
  rule.addResult({});
  return rule;
}

FactorRule NllOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> shape = getLogProbabilities().getType().getShape();
  TensorFactors samples;
  for (int64_t size : shape.drop_back())
    samples.push_back(rule.addDim(size, FactorKind::Reduce));
  TensorFactors input = samples;
  input.push_back(rule.addDim(shape.back(), FactorKind::Whole));
  rule.addOperand(std::move(input));
  rule.addOperand(std::move(samples));
  rule.addResult({});
  return rule;
}

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
