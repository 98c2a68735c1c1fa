// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of optimizer steps beyond shapes (C1), which are traits; labels as in
// docs/spec/graph.md.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc::graph;

/// Checks the part of a moment that stays from step to step.
static LogicalResult checkBeta(Operation *op, StringRef name, const APFloat &value) {
  double beta = value.convertToDouble();
  if (beta >= 0 && beta < 1) // C2
    return success();
  return op->emitOpError() << "expected '" << name << "' in [0, 1), got " << beta;
}

/// Checks an epsilon, which keeps the divisor away from zero.
static LogicalResult checkEpsilon(Operation *op, const APFloat &value) {
  double epsilon = value.convertToDouble();
  if (epsilon > 0 && value.isFinite()) // C3
    return success();
  return op->emitOpError() << "expected 'epsilon' to be a number above 0, got " << epsilon;
}

/// Checks that a step that a scale may skip has a scale.
template <typename Op> static LogicalResult checkSkips(Op op) {
  if (op.getScale() || !op.getZeroSkips()) // C4
    return success();
  return op.emitOpError() << "expected a 'scale' beside 'zero_skips', got none";
}

template <typename Op> static LogicalResult verifyAdamLike(Op op) {
  if (failed(checkBeta(op, "beta1", op.getBeta1())) ||
      failed(checkBeta(op, "beta2", op.getBeta2())) || failed(checkEpsilon(op, op.getEpsilon())))
    return failure();
  return checkSkips(op);
}

LogicalResult SgdOp::verify() { return checkSkips(*this); }

LogicalResult MomentumOp::verify() { return checkSkips(*this); }

LogicalResult AdamOp::verify() { return verifyAdamLike(*this); }

LogicalResult AdamWeightDecayOp::verify() { return verifyAdamLike(*this); }

LogicalResult LambOp::verify() { return verifyAdamLike(*this); }

LogicalResult AdagradOp::verify() {
  return failed(checkEpsilon(*this, getEpsilon())) ? failure() : checkSkips(*this);
}
