// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of elementwise ops: one factor per dimension. The ops differ in linearity: through
// which operands a partial value may pass.
#include "dialects/graph/Graph.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Adds the linearity of a function that never falls: f(max x) = max f(x), and likewise for min.
/// The function must be defined everywhere: the logarithm of a maximum is not the maximum of the
/// ranks' logarithms if a rank holds a negative number.
static void addMonotone(FactorRule &rule, ArrayRef<unsigned> operands) {
  for (unsigned operand : operands) {
    rule.addLinear(operand, ReduceKind::Max);
    rule.addLinear(operand, ReduceKind::Min);
  }
}

/// Adds the linearity of a cast. Integers wrap: dropping upper bits, or reading the same bits with
/// or without a sign, passes sums and products but not the order. A cast to more bits passes the
/// order but not sums; from a negative number to a type without sign it passes nothing. Floats to
/// floats pass sums and the order. Floats to integers pass nothing, because the cast is not defined
/// everywhere.
static void addCast(FactorRule &rule, CastOp op) {
  Type from = op.getInput().getType().getElementType();
  Type to = op.getResult().getType().getElementType();
  if (from.isInteger(1) || to.isInteger(1))
    return;
  bool fromInteger = isa<IntegerType>(from), toInteger = isa<IntegerType>(to);
  if (fromInteger && toInteger && to.getIntOrFloatBitWidth() <= from.getIntOrFloatBitWidth()) {
    rule.addLinear(0);
    rule.addLinear(0, ReduceKind::Prod);
  } else if (toInteger && fromInteger && to.isUnsignedInteger() && !from.isUnsignedInteger()) {
    return;
  } else if (fromInteger) {
    addMonotone(rule, 0);
  } else if (!toInteger) {
    rule.addLinear(0);
    addMonotone(rule, 0);
  }
}

/// Adds the linearity of max or min. The larger of two maxima is the maximum of both; a maximum of
/// minima passes one operand at a time.
static void addExtremum(FactorRule &rule, ReduceKind same, ReduceKind other) {
  rule.addLinear({0, 1}, same);
  rule.addLinear(0, other);
  rule.addLinear(1, other);
}

/// Adds the linearity of binary ops. A sum of integers wraps, and so does not keep their order.
static void addBinary(FactorRule &rule, Operation *op) {
  bool onFloats = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AddOp) {
        rule.addLinear({0, 1});
        if (onFloats)
          addMonotone(rule, {0, 1});
      })
      .Case([&](SubOp) {
        rule.addLinear({0, 1});
        if (onFloats)
          addMonotone(rule, 0);
      })
      .Case([&](MulOp) {
        rule.addLinear(0);
        rule.addLinear(1);
        rule.addLinear({0, 1}, ReduceKind::Prod);
      })
      .Case([&](DivOp) {
        if (onFloats)
          rule.addLinear(0);
      })
      .Case([&](MaxOp) { addExtremum(rule, ReduceKind::Max, ReduceKind::Min); })
      .Case([&](MinOp) { addExtremum(rule, ReduceKind::Min, ReduceKind::Max); });
}

static void addUnary(FactorRule &rule, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NegOp) { rule.addLinear(0); })
      .Case<ExpOp, TanhOp, SigmoidOp, ErfOp, FloorOp, CeilOp, RoundOp, SignOp, ReluOp, SoftplusOp,
            ClampOp>([&](auto) { addMonotone(rule, 0); })
      .Case<LeakyReluOp, EluOp>([&](auto bent) {
        // 0 times -inf, the neutral element of max, would be NaN.
        if (bent.getAlpha().isFiniteNonZero() && !bent.getAlpha().isNegative())
          addMonotone(rule, 0);
      })
      .Case([&](CastOp cast) { addCast(rule, cast); });
}

FactorRule pcc::graph::elementwiseRule(Operation *op) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  FactorRule rule = FactorRule::pointwise(type.getShape(), op->getNumOperands());
  if (isa<SelectOp>(op))
    rule.addLinearAnyKind({1, 2});
  addBinary(rule, op);
  addUnary(rule, op);
  return rule;
}
