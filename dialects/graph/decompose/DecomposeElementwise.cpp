// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes activations into arithmetic.
#include "dialects/graph/decompose/Decompose.h"

#include "dialects/graph/Gelu.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace pcc::graph;

/// x/2 (1 + erf(x / √2)), or x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) (Hendrycks and Gimpel,
/// Gaussian error linear units, 2016).
Decomposition pcc::graph::decompose(GeluOp op, DecompositionBuilder &builder) {
  Value x = op.getInput(), bend;
  if (op.getForm() == GeluForm::Exact) {
    Value scaled = builder.make<MulOp>(x, builder.splat(x, 1.0 / std::numbers::sqrt2));
    bend = builder.make<ErfOp>(scaled);
  } else {
    Value cube = builder.make<MulOp>(builder.make<SquareOp>(x), x);
    Value inner = builder.make<AddOp>(x, builder.make<MulOp>(cube, builder.splat(x, geluCubic)));
    bend = builder.make<TanhOp>(builder.make<MulOp>(inner, builder.splat(x, geluScale)));
  }
  Value half = builder.make<MulOp>(x, builder.splat(x, 0.5));
  return {builder.make<MulOp>(half, builder.make<AddOp>(bend, builder.splat(x, 1.0)))};
}

Decomposition pcc::graph::decompose(SiluOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  return {builder.make<MulOp>(x, builder.make<SigmoidOp>(x))};
}

/// max(x, 0) + log1p(exp(-|x|)): exp never overflows.
Decomposition pcc::graph::decompose(SoftplusOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  Value decay = builder.make<ExpOp>(builder.make<NegOp>(builder.make<AbsOp>(x)));
  return {builder.make<AddOp>(builder.make<ReluOp>(x), builder.make<Log1pOp>(decay))};
}

static Value isPositive(Value x, DecompositionBuilder &builder) {
  return builder.make<CompareOp>(Direction::GT, x, builder.splat(x, 0.0));
}

/// The exponential sees min(x, 0), so that the branch not taken is finite.
Decomposition pcc::graph::decompose(EluOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  Value power = builder.make<ExpOp>(builder.make<MinOp>(x, builder.splat(x, 0.0)));
  Value below = builder.make<MulOp>(builder.make<SubOp>(power, builder.splat(x, 1.0)),
                                    builder.splat(x, op.getAlpha().convertToDouble()));
  return {builder.make<SelectOp>(isPositive(x, builder), x, below)};
}

Decomposition pcc::graph::decompose(LeakyReluOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  Value below = builder.make<MulOp>(x, builder.splat(x, op.getAlpha().convertToDouble()));
  return {builder.make<SelectOp>(isPositive(x, builder), x, below)};
}

/// Integers are limited to those between the limits.
Decomposition pcc::graph::decompose(ClampOp op, DecompositionBuilder &builder) {
  Value x = op.getInput();
  double low = op.getLow().convertToDouble(), high = op.getHigh().convertToDouble();
  if (isa<IntegerType>(op.getInput().getType().getElementType())) {
    low = std::ceil(low);
    high = std::floor(high);
  }
  Value raised = builder.make<MaxOp>(x, builder.splat(x, low));
  return {builder.make<MinOp>(raised, builder.splat(x, high))};
}
