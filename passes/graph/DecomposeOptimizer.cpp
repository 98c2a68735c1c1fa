// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps as plain arithmetic.
#include "passes/graph/Decompose.h"

using namespace mlir;
using namespace pcc::graph;

/// gradient + decay * parameter.
static Value decayed(Value gradient, Value parameter, APFloat decay, PieceBuilder &builder) {
  if (decay.isZero())
    return gradient;
  Value shrink = builder.make<MulOp>(parameter, builder.splat(parameter, decay.convertToDouble()));
  return builder.make<AddOp>(gradient, shrink);
}

/// parameter - rate * direction.
static Value step(Value parameter, Value direction, Value rate, PieceBuilder &builder) {
  Value move = builder.make<MulOp>(direction, builder.repeat(rate, parameter));
  return builder.make<SubOp>(parameter, move);
}

Pieces pcc::graph::decompose(SgdOp op, PieceBuilder &builder) {
  Value parameter = op.getParameter();
  Value gradient = decayed(op.getGradient(), parameter, op.getWeightDecay(), builder);
  return {step(parameter, gradient, op.getRate(), builder)};
}

Pieces pcc::graph::decompose(MomentumOp op, PieceBuilder &builder) {
  Value parameter = op.getParameter();
  Value gradient = decayed(op.getGradient(), parameter, op.getWeightDecay(), builder);
  Value factor = builder.splat(parameter, op.getMomentum().convertToDouble());
  Value velocity = builder.make<AddOp>(builder.make<MulOp>(op.getVelocity(), factor), gradient);
  Value direction = velocity;
  if (op.getNesterov())
    direction = builder.make<AddOp>(gradient, builder.make<MulOp>(velocity, factor));
  return {step(parameter, direction, op.getRate(), builder), velocity};
}
