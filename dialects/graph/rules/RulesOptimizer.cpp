// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of optimizer steps.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns the rule of a step: the tensors, which come first among the operands, and all results
/// share one factor per dimension. The other operands are scalars: the rate and, if the op has
/// them, the step and the scale.
template <typename Op> static FactorRule stepRule(Op op, FactorKind kind = FactorKind::Parallel) {
  FactorRule rule;
  TensorFactors dims;
  for (int64_t size : op.getParameter().getType().getShape())
    dims.push_back(rule.addDim(size, kind));
  unsigned tensors = op->getNumResults() + 1; // the gradient has no new value
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    rule.addOperand(index < tensors ? dims : TensorFactors());
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    rule.addResult(dims);
  return rule;
}

FactorRule SgdOp::getFactorRule() { return stepRule(*this); }

FactorRule MomentumOp::getFactorRule() { return stepRule(*this); }

FactorRule AdagradOp::getFactorRule() { return stepRule(*this); }

FactorRule AdamOp::getFactorRule() { return stepRule(*this); }

FactorRule AdamWeightDecayOp::getFactorRule() { return stepRule(*this); }

/// All dimensions are whole, because the norms are of whole tensors.
FactorRule LambOp::getFactorRule() { return stepRule(*this, FactorKind::Whole); }
