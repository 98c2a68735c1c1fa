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

static OpClass classifyOther(Operation *op) {
  return isa<dist::DistDialect>(op->getDialect()) ? OpClass::Communication : OpClass::Elementwise;
}

static OpClass classify(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpClass>(op)
      .Case<graph::MatmulOp, graph::EinsumOp, graph::Conv2dOp, graph::Conv2dInputGradientOp,
            graph::Conv2dWeightGradientOp, graph::AttentionOp, graph::AttentionGradientOp>(
          [](auto) { return OpClass::Contraction; })
      .Case<graph::ReduceOp, graph::SoftmaxOp, graph::SoftmaxCrossEntropyOp, graph::ScatterAddOp,
            graph::MaxPoolGradientOp, graph::LogSoftmaxOp, graph::LayerNormOp, graph::RmsNormOp,
            graph::BatchNormOp, graph::NllOp, graph::MseOp, graph::SigmoidCrossEntropyOp,
            graph::ArgmaxOp, graph::ArgminOp, graph::TopKOp, graph::CumsumOp>(
          [](auto) { return OpClass::Reduction; })
      .Case<graph::ConstantOp, graph::IotaOp>([](auto) { return OpClass::Leaf; })
      .Case<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp,
            graph::DynamicSliceOp, graph::DynamicUpdateSliceOp, graph::PadOp, graph::ConcatOp,
            graph::SplitOp, graph::GatherOp, graph::OneHotOp>(
          [](auto) { return OpClass::Movement; })
      .Default(classifyOther);
}

/// Function values of one element, counted as flops.
static int64_t flopsPerElement(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<graph::SoftmaxOp, graph::SoftmaxCrossEntropyOp>([](auto) { return 5; })
      .Case<graph::LogSoftmaxOp, graph::RmsNormOp, graph::BatchNormInferenceOp>(
          [](auto) { return 4; })
      .Case<graph::LayerNormOp, graph::BatchNormOp>([](auto) { return 7; })
      .Case<graph::NllOp, graph::MseOp, graph::RotaryEmbeddingOp>([](auto) { return 3; })
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
      .Case<graph::MaxPoolOp, graph::AvgPoolOp>(
          [](auto pool) { return llvm::product_of(pool.getWindow()); })
      .Default([](Operation *) { return 1; });
}

/// Those of one element of the result with the elements of the weight that it sees, the padding
/// included.
static int64_t countConvolved(Value weight, Value result) {
  auto type = cast<RankedTensorType>(weight.getType());
  return type.getNumElements() / type.getDimSize(0) * getNumElements(result.getType());
}

/// Those of each position of the query with each of the key that it sees, in `perWidth` products of
/// rows of the key and `perDepth` of the value; of a causal attention, half of all.
template <typename Attention>
static int64_t countAttended(Attention op, int64_t perWidth, int64_t perDepth) {
  RankedTensorType query = op.getQuery().getType(), value = op.getValue().getType();
  int64_t scores = llvm::product_of(query.getShape().drop_back()) * value.getDimSize(2);
  int64_t products = scores * (perWidth * query.getDimSize(3) + perDepth * value.getDimSize(3));
  return op.getCausal() ? products / 2 : products;
}

/// One product for every index of all factors; the window of a convolution is no factor.
static int64_t countProducts(Operation *op) {
  if (auto conv = dyn_cast<graph::Conv2dOp>(op))
    return countConvolved(conv.getWeight(), conv.getResult());
  if (auto conv = dyn_cast<graph::Conv2dInputGradientOp>(op))
    return countConvolved(conv.getWeight(), conv.getGradient());
  if (auto conv = dyn_cast<graph::Conv2dWeightGradientOp>(op))
    return countConvolved(conv.getResult(), conv.getGradient());
  if (auto attention = dyn_cast<graph::AttentionOp>(op))
    return countAttended(attention, 1, 1);
  if (auto attention = dyn_cast<graph::AttentionGradientOp>(op))
    return countAttended(attention, 3, 2);
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
