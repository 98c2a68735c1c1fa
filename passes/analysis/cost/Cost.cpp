// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies ops and counts flops by tables. Contractions are counted as matmuls; other ops have a
// fixed number of flops per element. Bytes are those that are read of the operands, and those of
// the results; a reshape has none.
#include "passes/analysis/cost/Cost.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/Task.h"
#include "passes/analysis/kernels/Matmuls.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::analysis {

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

int64_t getElementBytes(Type type) {
  return llvm::divideCeil(cast<ShapedType>(type).getElementTypeBitWidth(), 8);
}

int64_t getNumBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? task::bytesOf(tensor) : 0;
}

static OpClass classifyOther(Operation *op) {
  bool communicates = isa<dist::DistDialect, pipe::PipeDialect>(op->getDialect());
  return communicates ? OpClass::Communication : OpClass::Elementwise;
}

OpClass classOf(Operation *op) {
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

/// Returns the flops per element, in which function values count as flops.
static int64_t flopsPerElement(Operation *op, const OpShapes &shapes) {
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
      .Case([&](graph::TopKOp topK) { return shapes.operands[0][topK.getAxis()]; })
      .Case([&](graph::CumsumOp cumsum) {
        return llvm::Log2_64_Ceil(shapes.results[0][cumsum.getAxis()]) + 1;
      })
      .Case<graph::MaxPoolOp, graph::AvgPoolOp>(
          [](auto pool) { return llvm::product_of(pool.getWindow()); })
      .Default([](Operation *) { return 1; });
}

static int64_t countFlops(Operation *op, OpClass opClass, const OpShapes &shapes) {
  switch (opClass) {
  case OpClass::Contraction: {
    double flops = 0;
    for (const MatmulForm &product : listMatmuls(op))
      flops += product.at(shapes).flops();
    return static_cast<int64_t>(flops);
  }
  case OpClass::Reduction:
    return flopsPerElement(op, shapes) * countElements(shapes.operands.front());
  case OpClass::Elementwise:
    return shapes.results.empty()
               ? 0
               : flopsPerElement(op, shapes) * countElements(shapes.results.front());
  case OpClass::Movement:
  case OpClass::Leaf:
  case OpClass::Communication:
    return 0;
  }
  llvm_unreachable("every class is listed");
}

bool readsPart(Operation *op) {
  return isa<graph::SliceOp, graph::DynamicSliceOp, graph::GatherOp>(op);
}

int64_t countRead(Operation *op, unsigned index, const OpShapes &shapes) {
  int64_t elements = countElements(shapes.operands[index]);
  return index == 0 && readsPart(op) ? std::min(elements, countElements(shapes.results.front()))
                                     : elements;
}

Cost costOf(Operation *op, const OpShapes &shapes) {
  Cost cost;
  cost.opClass = classOf(op);
  cost.flops = countFlops(op, cost.opClass, shapes);
  if (isa<graph::ReshapeOp>(op))
    return cost;
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (isa<ShapedType>(type))
      cost.bytes += countRead(op, index, shapes) * getElementBytes(type);
  for (auto [type, shape] : llvm::zip_equal(op->getResultTypes(), shapes.results))
    if (isa<ShapedType>(type))
      cost.bytes += countElements(shape) * getElementBytes(type);
  return cost;
}

Cost costOf(Operation *op) { return costOf(op, OpShapes::of(op)); }

} // namespace pcc::analysis
