// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of activations. An activation with a kink passes the gradient through a comparison,
// an i1 mask. At the kink itself the slope is that of the side x < 0 (clamp: zero at both ends).
#include "passes/autodiff/derivatives/Derivatives.h"

#include "dialects/graph/Gelu.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// True where x > 0, read from the result if it has the sign of x (alpha >= 0).
static Value isPositive(Backward &b, double alpha) {
  return b.compare(Direction::GT, alpha >= 0 ? b.result() : b.operand(), 0);
}

static void differentiateLeakyRelu(Backward &b) {
  double alpha = b.op<LeakyReluOp>().getAlpha().convertToDouble();
  b.setGradient(0, b.select(isPositive(b, alpha), b.gradient(), b.mul(b.gradient(), alpha)));
}

/// Below zero the slope is alpha exp(x) = y + alpha.
static void differentiateElu(Backward &b) {
  double alpha = b.op<EluOp>().getAlpha().convertToDouble();
  Value below = b.mul(b.gradient(), b.add(b.result(), alpha));
  b.setGradient(0, b.select(isPositive(b, alpha), b.gradient(), below));
}

/// x Phi(x): Phi(x) + x phi(x) with phi(x) = exp(-x^2 / 2) / sqrt(2 pi).
static Value exactGeluSlope(Backward &b) {
  Value x = b.operand();
  Value error = b.make<ErfOp>(b.mul(x, 1 / std::numbers::sqrt2));
  Value distribution = b.mul(b.add(error, 1), 0.5);
  Value bell = b.make<ExpOp>(b.mul(b.mul(x, x), -0.5));
  Value density = b.mul(bell, std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return b.add(distribution, b.mul(x, density));
}

/// Returns the derivative of x (1 + t) / 2 with t = tanh(u), u = c (x + d x^3).
/// The derivative is (1 + t) / 2 + x (1 - t^2) u' / 2.
static Value tanhGeluSlope(Backward &b) {
  const double c = geluScale, d = geluCubic;
  Value x = b.operand(), square = b.mul(x, x);
  Value t = b.make<TanhOp>(b.mul(x, b.add(b.mul(square, c * d), c)));
  Value inner = b.add(b.mul(square, 3 * c * d), c);
  Value steep = b.mul(b.mul(x, inner), b.sub(1, b.mul(t, t)));
  return b.mul(b.add(b.add(t, steep), 1), 0.5);
}

static void differentiateGelu(Backward &b) {
  bool exact = b.op<GeluOp>().getForm() == GeluForm::Exact;
  b.setGradient(0, b.mul(b.gradient(), exact ? exactGeluSlope(b) : tanhGeluSlope(b)));
}

/// x s(x) with s = sigmoid: s (1 + x (1 - s)).
static void differentiateSilu(Backward &b) {
  Value s = b.make<SigmoidOp>(b.operand());
  Value slope = b.mul(s, b.add(b.mul(b.operand(), b.sub(1, s)), 1));
  b.setGradient(0, b.mul(b.gradient(), slope));
}

/// Inside the limits the result is the input, so the result tells where the gradient passes.
static void differentiateClamp(Backward &b) {
  auto op = b.op<ClampOp>();
  Value above = b.compare(Direction::GT, b.result(), op.getLow().convertToDouble());
  Value below = b.compare(Direction::LT, b.result(), op.getHigh().convertToDouble());
  b.setGradient(0, b.where(b.make<AndOp>(above, below), b.gradient()));
}

void addActivationDerivatives(DerivativeTable &table) {
  table.rule<ReluOp>([](Backward &b) {
    b.setGradient(0, b.where(b.compare(Direction::GT, b.result(), 0), b.gradient()));
  });
  table.rule<LeakyReluOp>(differentiateLeakyRelu);
  table.rule<EluOp>(differentiateElu);
  table.rule<GeluOp>(differentiateGelu);
  table.rule<SiluOp>(differentiateSilu);
  table.rule<SoftplusOp>(
      [](Backward &b) { b.setGradient(0, b.mul(b.gradient(), b.make<SigmoidOp>(b.operand()))); });
  table.rule<ClampOp>(differentiateClamp);
}

} // namespace pcc::autodiff
