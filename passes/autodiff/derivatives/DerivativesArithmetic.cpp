// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of arithmetic on two or three tensors of one shape.
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// y = a / b: dy/da = 1 / b and dy/db = -y / b, which saves the result instead of a.
static void differentiateDiv(Backward &b) {
  Value byDivisor = b.div(b.gradient(), b.operand(1));
  b.setGradient(0, byDivisor);
  if (b.wants(1))
    b.setGradient(1, b.neg(b.mul(byDivisor, b.result())));
}

/// Differentiates y = a^e: dy/da = e a^(e-1), dy/de = y ln a.
/// dy/da is zero for e = 0, although the formula gives 0 * inf at a = 0.
/// dy/de has ln 1 in place of ln 0 at a = 0, because y is zero there for every positive exponent.
static void differentiatePow(Backward &b) {
  Value base = b.operand(0), exponent = b.operand(1), gradient = b.gradient();
  if (b.wants(0)) {
    Value slope = b.mul(exponent, b.make<PowOp>(base, b.add(exponent, -1.0)));
    Value flat = b.compare(Direction::EQ, exponent, 0);
    b.setGradient(0, b.mul(gradient, b.select(flat, b.like(slope, 0), slope)));
  }
  if (b.wants(1)) {
    Value atZero = b.compare(Direction::EQ, base, 0);
    Value logarithm = b.make<LogOp>(b.select(atZero, b.like(base, 1), base));
    b.setGradient(1, b.mul(gradient, b.mul(b.result(), logarithm)));
  }
}

/// max and min: the operand that `wins` gets the whole gradient; equal operands get half each. The
/// ops are commutative. A rule that prefers one side would make the gradient depend on the order in
/// which canonicalization leaves the operands.
static void differentiateExtremum(Backward &b, Direction wins) {
  Value lhs = b.operand(0), rhs = b.operand(1), gradient = b.gradient();
  Value tie = b.compare(Direction::EQ, lhs, rhs);
  Value share = b.select(tie, b.mul(gradient, 0.5), gradient);
  if (b.wants(0))
    b.setGradient(0, b.where(b.compare(wins, lhs, rhs), share));
  if (b.wants(1))
    b.setGradient(1, b.where(b.compare(wins, rhs, lhs), share));
}

/// y = a - trunc(a / b) b, where the quotient is constant between its jumps.
static void differentiateMod(Backward &b) {
  b.setGradient(0, b.gradient());
  if (!b.wants(1))
    return;
  Value multiple = b.sub(b.operand(0), b.result());
  Value quotient = b.make<RoundOp>(b.div(multiple, b.operand(1)));
  b.setGradient(1, b.neg(b.mul(b.gradient(), quotient)));
}

static void differentiateSelect(Backward &b) {
  Value zero = b.like(b.gradient(), 0), predicate = b.operand(0);
  b.setGradient(1, b.select(predicate, b.gradient(), zero));
  b.setGradient(2, b.select(predicate, zero, b.gradient()));
}

void addArithmeticDerivatives(DerivativeTable &table) {
  table.rule<AddOp>([](Backward &b) {
    b.setGradient(0, b.gradient());
    b.setGradient(1, b.gradient());
  });
  table.rule<SubOp>([](Backward &b) {
    b.setGradient(0, b.gradient());
    if (b.wants(1))
      b.setGradient(1, b.neg(b.gradient()));
  });
  table.rule<MulOp>([](Backward &b) {
    if (b.wants(0))
      b.setGradient(0, b.mul(b.gradient(), b.operand(1)));
    if (b.wants(1))
      b.setGradient(1, b.mul(b.gradient(), b.operand(0)));
  });
  table.rule<DivOp>(differentiateDiv);
  table.rule<PowOp>(differentiatePow);
  table.rule<MaxOp>([](Backward &b) { differentiateExtremum(b, Direction::GE); });
  table.rule<MinOp>([](Backward &b) { differentiateExtremum(b, Direction::LE); });
  table.rule<ModOp>(differentiateMod);
  table.rule<SelectOp>(differentiateSelect);
  // A cast to integers never has a gradient: its result is no differentiable value.
  table.rule<CastOp>([](Backward &b) {
    b.setGradient(0, b.castTo(b.gradient(), getElementTypeOrSelf(b.operand().getType())));
  });
}

} // namespace pcc::autodiff
