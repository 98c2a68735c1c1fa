// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/Cost.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::facts {

StringRef stringify(OpClass opClass) {
  switch (opClass) {
  case OpClass::Contraction:
    return "contraction";
  case OpClass::Elementwise:
    return "elementwise";
  case OpClass::Reduction:
    return "reduction";
  case OpClass::Movement:
    return "movement";
  case OpClass::Leaf:
    return "leaf";
  case OpClass::Communication:
    return "communication";
  }
  llvm_unreachable("every class is listed");
}

static int64_t getNumElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 0;
}

int64_t getNumBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? task::bytesOf(tensor) : 0;
}

static OpClass classify(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpClass>(op)
      .Case<graph::MatmulOp, graph::EinsumOp>([](auto) { return OpClass::Contraction; })
      .Case<graph::ReduceOp, graph::SoftmaxOp, graph::SoftmaxCrossEntropyOp, graph::ScatterAddOp,
            graph::LogSoftmaxOp, graph::LayerNormOp, graph::RmsNormOp, graph::BatchNormOp,
            graph::NllOp, graph::MseOp, graph::SigmoidCrossEntropyOp, graph::ArgmaxOp,
            graph::ArgminOp, graph::TopKOp, graph::CumsumOp>(
          [](auto) { return OpClass::Reduction; })
      .Case<graph::ConstantOp, graph::IotaOp>([](auto) { return OpClass::Leaf; })
      .Case<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp,
            graph::DynamicSliceOp, graph::DynamicUpdateSliceOp, graph::PadOp, graph::ConcatOp,
            graph::SplitOp, graph::GatherOp, graph::OneHotOp>(
          [](auto) { return OpClass::Movement; })
      .Default([](Operation *other) {
        return isa<dist::DistDialect>(other->getDialect()) ? OpClass::Communication
                                                           : OpClass::Elementwise;
      });
}

/// Function values of one element, counted as flops.
static int64_t flopsPerElement(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<graph::SoftmaxOp, graph::SoftmaxCrossEntropyOp>([](auto) { return 5; })
      .Case<graph::LogSoftmaxOp, graph::RmsNormOp, graph::BatchNormInferenceOp>(
          [](auto) { return 4; })
      .Case<graph::LayerNormOp, graph::BatchNormOp>([](auto) { return 7; })
      .Case<graph::NllOp, graph::MseOp>([](auto) { return 3; })
      .Case<graph::SigmoidCrossEntropyOp>([](auto) { return 8; })
      .Case<graph::DropoutOp>([](auto) { return 16; })
      .Case<graph::MomentumOp>([](auto) { return 6; })
      .Case<graph::AdagradOp>([](auto) { return 7; })
      .Case<graph::AdamOp, graph::AdamWeightDecayOp>([](auto) { return 15; })
      .Case<graph::LambOp>([](auto) { return 19; })
      .Case<graph::SgdOp>([](auto) { return 4; })
      .Case([](graph::TopKOp topK) { return topK.getInput().getType().getDimSize(topK.getAxis()); })
      .Case([](graph::CumsumOp cumsum) {
        return llvm::Log2_64_Ceil(cumsum.getType().getDimSize(cumsum.getAxis())) + 1;
      })
      .Default([](Operation *) { return 1; });
}

/// One product for every index of all factors.
static int64_t countProducts(Operation *op) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  int64_t products = 1;
  for (const Factor &factor : rule.getFactors())
    products *= factor.size;
  return products;
}

static int64_t countFlops(Operation *op, OpClass opClass) {
  switch (opClass) {
  case OpClass::Contraction:
    return 2 * countProducts(op);
  case OpClass::Reduction:
    return flopsPerElement(op) * getNumElements(op->getOperandTypes().front());
  case OpClass::Elementwise:
    return op->getNumResults() ? flopsPerElement(op) * getNumElements(op->getResultTypes().front())
                               : 0;
  case OpClass::Movement:
  case OpClass::Leaf:
  case OpClass::Communication:
    return 0;
  }
  llvm_unreachable("every class is listed");
}

Cost costOf(Operation *op) {
  Cost cost;
  cost.opClass = classify(op);
  cost.flops = countFlops(op, cost.opClass);
  if (isa<graph::ReshapeOp>(op))
    return cost;
  for (Type type : op->getOperandTypes())
    cost.bytes += getNumBytes(type);
  for (Type type : op->getResultTypes())
    cost.bytes += getNumBytes(type);
  return cost;
}

} // namespace pcc::facts
