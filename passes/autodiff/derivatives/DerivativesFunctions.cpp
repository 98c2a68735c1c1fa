// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of functions of one number. If the derivative follows from the result, the result is
// saved: the following op needs it as well, so the input's buffer is free after the forward op.
#include "passes/autodiff/derivatives/Derivatives.h"

#include <numbers>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// 1 / sqrt(x): -y^3 / 2.
static void differentiateRsqrt(Backward &b) {
  Value y = b.result();
  Value cube = b.mul(b.mul(y, y), y);
  b.setGradient(0, b.mul(b.gradient(), b.mul(cube, -0.5)));
}

/// erf: 2 / sqrt(pi) * exp(-x^2).
static void differentiateErf(Backward &b) {
  Value x = b.operand();
  Value bell = b.make<ExpOp>(b.neg(b.mul(x, x)));
  b.setGradient(0, b.mul(b.gradient(), b.mul(bell, 2 * std::numbers::inv_sqrtpi)));
}

/// Adds functions whose derivative follows from the result.
static void addFromResult(DerivativeTable &table) {
  table.rule<ExpOp>([](Backward &b) { b.setGradient(0, b.mul(b.gradient(), b.result())); });
  table.rule<SqrtOp>(
      [](Backward &b) { b.setGradient(0, b.div(b.mul(b.gradient(), 0.5), b.result())); });
  table.rule<RsqrtOp>(differentiateRsqrt);
  table.rule<ReciprocalOp>([](Backward &b) {
    b.setGradient(0, b.neg(b.mul(b.gradient(), b.mul(b.result(), b.result()))));
  });
  table.rule<TanhOp>([](Backward &b) {
    b.setGradient(0, b.mul(b.gradient(), b.sub(1, b.mul(b.result(), b.result()))));
  });
  table.rule<SigmoidOp>([](Backward &b) {
    b.setGradient(0, b.mul(b.gradient(), b.mul(b.result(), b.sub(1, b.result()))));
  });
}

/// Adds functions whose derivative needs the input.
static void addFromInput(DerivativeTable &table) {
  table.rule<AbsOp>(
      [](Backward &b) { b.setGradient(0, b.mul(b.gradient(), b.make<SignOp>(b.operand()))); });
  table.rule<LogOp>([](Backward &b) { b.setGradient(0, b.div(b.gradient(), b.operand())); });
  table.rule<Log1pOp>(
      [](Backward &b) { b.setGradient(0, b.div(b.gradient(), b.add(b.operand(), 1))); });
  table.rule<SquareOp>(
      [](Backward &b) { b.setGradient(0, b.mul(b.gradient(), b.mul(b.operand(), 2))); });
  table.rule<SinOp>(
      [](Backward &b) { b.setGradient(0, b.mul(b.gradient(), b.make<CosOp>(b.operand()))); });
  table.rule<CosOp>([](Backward &b) {
    b.setGradient(0, b.neg(b.mul(b.gradient(), b.make<SinOp>(b.operand()))));
  });
  table.rule<ErfOp>(differentiateErf);
}

void addFunctionDerivatives(DerivativeTable &table) {
  table.rule<NegOp>([](Backward &b) { b.setGradient(0, b.neg(b.gradient())); });
  addFromResult(table);
  addFromInput(table);
}

} // namespace pcc::autodiff
