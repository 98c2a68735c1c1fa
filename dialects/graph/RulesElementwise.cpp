// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of elementwise ops: one factor per dimension. What differs is the linearity: through
// which operands a partial value may pass.
#include "dialects/graph/Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// f(max x) = max f(x) for a function that never falls, and likewise for min.
static void addMonotone(FactorRule &rule, ArrayRef<unsigned> operands) {
  for (unsigned operand : operands) {
    rule.addLinear(operand, ReduceKind::Max);
    rule.addLinear(operand, ReduceKind::Min);
  }
}

/// Sums pass a cast that keeps all of a number's size; the order is kept by every cast between
/// numbers except one to fewer bits of an integer.
static void addCast(FactorRule &rule, CastOp op) {
  Type from = op.getInput().getType().getElementType();
  Type to = op.getResult().getType().getElementType();
  if (from.isInteger(1) || to.isInteger(1))
    return;
  bool narrows = isa<IntegerType>(from) && isa<IntegerType>(to) &&
                 to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
  bool truncates = isa<FloatType>(from) && isa<IntegerType>(to);
  if (!narrows && !truncates)
    rule.addLinear(0);
  if (!narrows)
    addMonotone(rule, 0);
}

/// The larger of two maxima is the maximum of both; a maximum of minima passes one at a time.
static void addExtremum(FactorRule &rule, ReduceKind same, ReduceKind other) {
  rule.addLinear({0, 1}, same);
  rule.addLinear(0, other);
  rule.addLinear(1, other);
}

static void addBinary(FactorRule &rule, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AddOp) {
        rule.addLinear({0, 1});
        addMonotone(rule, {0, 1});
      })
      .Case([&](SubOp) {
        rule.addLinear({0, 1});
        addMonotone(rule, 0);
      })
      .Case([&](MulOp) {
        rule.addLinear(0);
        rule.addLinear(1);
        rule.addLinear({0, 1}, ReduceKind::Prod);
      })
      .Case([&](DivOp div) {
        if (isa<FloatType>(div.getResult().getType().getElementType()))
          rule.addLinear(0);
      })
      .Case([&](MaxOp) { addExtremum(rule, ReduceKind::Max, ReduceKind::Min); })
      .Case([&](MinOp) { addExtremum(rule, ReduceKind::Min, ReduceKind::Max); });
}

static void addUnary(FactorRule &rule, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NegOp) { rule.addLinear(0); })
      .Case<ExpOp, LogOp, Log1pOp, SqrtOp, TanhOp, SigmoidOp, ErfOp, FloorOp, CeilOp, RoundOp,
            SignOp, ReluOp, SoftplusOp, ClampOp>([&](auto) { addMonotone(rule, 0); })
      .Case<LeakyReluOp, EluOp>([&](auto bent) {
        if (!bent.getAlpha().isNegative())
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
