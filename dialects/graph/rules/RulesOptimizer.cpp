// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of optimizer steps.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns the rule of a step: all `numTensors` operands and `numResults` results share one factor
/// per dimension. Scalars follow: the rate, and the step if the op has one.
static FactorRule stepRule(RankedTensorType parameter, unsigned numTensors, unsigned numResults,
                           unsigned numScalars, FactorKind kind = FactorKind::Parallel) {
  FactorRule rule;
  TensorFactors dims;
  for (int64_t size : parameter.getShape())
    dims.push_back(rule.addDim(size, kind));
  for (unsigned index = 0; index < numTensors; ++index)
    rule.addOperand(dims);
  for (unsigned index = 0; index < numScalars; ++index)
    rule.addOperand({});
  for (unsigned index = 0; index < numResults; ++index)
    rule.addResult(dims);
  return rule;
}

FactorRule SgdOp::getFactorRule() { return stepRule(getParameter().getType(), 2, 1, 1); }

FactorRule MomentumOp::getFactorRule() { return stepRule(getParameter().getType(), 3, 2, 1); }

FactorRule AdagradOp::getFactorRule() { return stepRule(getParameter().getType(), 3, 2, 1); }

FactorRule AdamOp::getFactorRule() { return stepRule(getParameter().getType(), 4, 3, 2); }

FactorRule AdamWeightDecayOp::getFactorRule() {
  return stepRule(getParameter().getType(), 4, 3, 2);
}

/// All dimensions are whole, because the norms are of whole tensors.
FactorRule LambOp::getFactorRule() {
  return stepRule(getParameter().getType(), 4, 3, 2, FactorKind::Whole);
}
