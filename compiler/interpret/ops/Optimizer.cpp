// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps, by the formulas of the papers that the ops name.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Map.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Computes a step with the gradient times the scale of `op`, if it has one. A scale of 0 may skip
/// the step. The scale is the last operand; old values are the first operand and those behind the
/// gradient.
template <typename Op, LogicalResult (*compute)(Op, OpCall &)>
LogicalResult scaledStep(Op op, OpCall &call) {
  if (!op.getScale())
    return compute(op, call);
  double scale = call.operands.back()[0].f;
  if (op.getZeroSkips() && scale == 0) {
    call.results.push_back(call.operands[0]);
    llvm::append_range(call.results, call.operands.slice(2, op->getNumResults() - 1));
    return success();
  }
  SmallVector<Tensor> operands(call.operands);
  operands[1] = zipFloats(operands[1], operands[1], [=](double g, double) { return scale * g; });
  OpCall scaled{call.op, operands, call.results, call.rank};
  return compute(op, scaled);
}

/// Returns gradient + decay · parameter.
template <typename Op> Tensor decayedGradient(Op op, const OpCall &call) {
  double decay = op.getWeightDecay().convertToDouble();
  return zipFloats(call.operands[1], call.operands[0],
                   [=](double g, double p) { return g + decay * p; });
}

/// Returns parameter - rate · direction.
Tensor stepAlong(const Tensor &parameter, const Tensor &direction, double rate) {
  return zipFloats(parameter, direction, [=](double p, double d) { return p - rate * d; });
}

LogicalResult sgdStep(graph::SgdOp op, OpCall &call) {
  double rate = call.operands[2][0].f;
  call.results.push_back(stepAlong(call.operands[0], decayedGradient(op, call), rate));
  return success();
}

LogicalResult momentumStep(graph::MomentumOp op, OpCall &call) {
  const Tensor &velocity = call.operands[2];
  double rate = call.operands[3][0].f, momentum = op.getMomentum().convertToDouble();
  Tensor gradient = decayedGradient(op, call);
  Tensor newVelocity =
      zipFloats(velocity, gradient, [=](double v, double g) { return momentum * v + g; });
  Tensor direction = newVelocity;
  if (op.getNesterov())
    direction =
        zipFloats(gradient, newVelocity, [=](double g, double v) { return g + momentum * v; });
  call.results.push_back(stepAlong(call.operands[0], direction, rate));
  call.results.push_back(newVelocity);
  return success();
}

LogicalResult adagradStep(graph::AdagradOp op, OpCall &call) {
  double rate = call.operands[3][0].f, epsilon = op.getEpsilon().convertToDouble();
  Tensor gradient = decayedGradient(op, call);
  Tensor accumulator =
      zipFloats(call.operands[2], gradient, [](double s, double g) { return s + g * g; });
  Tensor direction = zipFloats(gradient, accumulator,
                               [=](double g, double s) { return g / (std::sqrt(s) + epsilon); });
  call.results.push_back(stepAlong(call.operands[0], direction, rate));
  call.results.push_back(accumulator);
  return success();
}

/// Moments and direction of Adam and the optimizers derived from it.
struct Adam {
  Tensor moment1, moment2, direction;
};

template <typename Op> Adam computeAdam(Op op, const OpCall &call, const Tensor &gradient) {
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  double epsilon = op.getEpsilon().convertToDouble();
  double t = static_cast<double>(call.operands[5][0].i) + 1;
  double bias1 = 1 - std::pow(beta1, t), bias2 = 1 - std::pow(beta2, t);
  Adam adam;
  adam.moment1 = zipFloats(call.operands[2], gradient,
                           [=](double m, double g) { return beta1 * m + (1 - beta1) * g; });
  adam.moment2 = zipFloats(call.operands[3], gradient,
                           [=](double v, double g) { return beta2 * v + (1 - beta2) * g * g; });
  adam.direction = zipFloats(adam.moment1, adam.moment2, [=](double m, double v) {
    return (m / bias1) / (std::sqrt(v / bias2) + epsilon);
  });
  return adam;
}

double normOf(const Tensor &tensor) {
  double squares = 0;
  for (Element element : tensor.elements())
    squares += element.f * element.f;
  return std::sqrt(squares);
}

LogicalResult finish(OpCall &call, const Adam &adam, const Tensor &update, double rate) {
  call.results.push_back(stepAlong(call.operands[0], update, rate));
  call.results.push_back(adam.moment1);
  call.results.push_back(adam.moment2);
  return success();
}

LogicalResult adamStep(graph::AdamOp op, OpCall &call) {
  Adam adam = computeAdam(op, call, decayedGradient(op, call));
  return finish(call, adam, adam.direction, call.operands[4][0].f);
}

/// Returns the direction plus the parameter's decay.
template <typename Op> Tensor decayedDirection(Op op, const OpCall &call, const Adam &adam) {
  double decay = op.getWeightDecay().convertToDouble();
  return zipFloats(adam.direction, call.operands[0],
                   [=](double d, double p) { return d + decay * p; });
}

LogicalResult adamWeightDecayStep(graph::AdamWeightDecayOp op, OpCall &call) {
  Adam adam = computeAdam(op, call, call.operands[1]);
  return finish(call, adam, decayedDirection(op, call, adam), call.operands[4][0].f);
}

LogicalResult lambStep(graph::LambOp op, OpCall &call) {
  Adam adam = computeAdam(op, call, call.operands[1]);
  Tensor update = decayedDirection(op, call, adam);
  double parameterNorm = normOf(call.operands[0]), updateNorm = normOf(update);
  double ratio = parameterNorm > 0 && updateNorm > 0 ? parameterNorm / updateNorm : 1;
  return finish(call, adam, update, call.operands[4][0].f * ratio);
}

} // namespace

void registerOptimizer(Registry &registry) {
  registry.add<graph::SgdOp>(scaledStep<graph::SgdOp, sgdStep>);
  registry.add<graph::MomentumOp>(scaledStep<graph::MomentumOp, momentumStep>);
  registry.add<graph::AdagradOp>(scaledStep<graph::AdagradOp, adagradStep>);
  registry.add<graph::AdamOp>(scaledStep<graph::AdamOp, adamStep>);
  registry.add<graph::AdamWeightDecayOp>(scaledStep<graph::AdamWeightDecayOp, adamWeightDecayStep>);
  registry.add<graph::LambOp>(scaledStep<graph::LambOp, lambStep>);
}

} // namespace pcc::interpret
