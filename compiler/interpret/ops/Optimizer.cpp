// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps.

#include "compiler/interpret/Map.h"
#include "compiler/interpret/Registry.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

Tensor sgd(graph::SgdOp op, llvm::ArrayRef<Tensor> in) {
  double rate = in[2][0].f, decay = op.getWeightDecay().convertToDouble();
  return zipFloats(in[0], in[1], [=](double parameter, double gradient) {
    return parameter - rate * (gradient + decay * parameter);
  });
}

LogicalResult momentumStep(graph::MomentumOp op, OpCall &call) {
  const Tensor &parameter = call.operands[0], &velocity = call.operands[2];
  double rate = call.operands[3][0].f;
  double momentum = op.getMomentum().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  Tensor gradient =
      zipFloats(call.operands[1], parameter, [=](double g, double p) { return g + decay * p; });
  Tensor newVelocity =
      zipFloats(velocity, gradient, [=](double v, double g) { return momentum * v + g; });
  Tensor direction = newVelocity;
  if (op.getNesterov())
    direction =
        zipFloats(gradient, newVelocity, [=](double g, double v) { return g + momentum * v; });
  call.results.push_back(
      zipFloats(parameter, direction, [=](double p, double d) { return p - rate * d; }));
  call.results.push_back(newVelocity);
  return success();
}

} // namespace

void registerOptimizer(Registry &registry) {
  registry.add<graph::SgdOp>(sgd);
  registry.add<graph::MomentumOp>(momentumStep);
}

} // namespace pcc::interpret
