// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the maximum of computing time and memory time, plus the launch. Only bytes and flops depend
// on the shapes. Tensors, element types and matmuls are collected once.
#include "passes/analysis/cost/OpCostModel.h"

#include "mlir/IR/BuiltinTypes.h"
#include "passes/analysis/ElementTypes.h"
#include "passes/analysis/kernels/Kernels.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;

namespace pcc::analysis {

static bool hasCost(OpClass opClass) {
  return opClass != OpClass::Communication && opClass != OpClass::Leaf;
}

OpCostModel::OpCostModel(Operation *op, const abi::DeviceFigures &device, KernelShare share,
                         abi::ElementType f32As)
    : op(op), device(&device), opClass(classOf(op)), matmuls(listMatmuls(op)) {
  if (!hasCost(opClass))
    return;
  auto typeOf = [&](Value value) {
    abi::ElementType own = toElementType(getElementTypeOrSelf(value.getType()));
    return own == abi::F32 ? f32As : own;
  };
  auto add = [&](Value value, unsigned index, bool isResult) {
    if (isa<RankedTensorType>(value.getType()))
      traffic.push_back({index, isResult, int64_t(abi::elementBytes(typeOf(value)))});
  };
  for (int index : share.reads.set_bits())
    add(op->getOperand(index), index, /*isResult=*/false);
  for (int index : share.writes.set_bits())
    add(op->getResult(index), index, /*isResult=*/true);
  if (op->getNumOperands() && isa<RankedTensorType>(op->getOperand(0).getType()))
    type = typeOf(op->getOperand(0));
  isInstruction =
      op->getNumResults() && hasInstructions(getElementTypeOrSelf(op->getResult(0).getType()));
  launch = share.launches ? device.launch_seconds().value() : 0;
}

double OpCostModel::bytes(const OpShapes &local) const {
  double bytes = 0;
  for (const Tensor &tensor : traffic) {
    int64_t elements = tensor.isResult ? countElements(local.results[tensor.index])
                                       : countRead(op, tensor.index, local);
    bytes += double(elements * tensor.elementBytes);
  }
  return bytes;
}

/// Returns the class that determines the compute rate of an op without matmuls; ops that only move
/// data compute nothing.
static abi::ComputeClass toComputeClass(OpClass opClass) {
  return opClass == OpClass::Reduction ? abi::REDUCTION : abi::ELEMENTWISE;
}

double OpCostModel::seconds(const OpShapes &local) const {
  if (!hasCost(opClass))
    return 0;
  double computing = 0;
  if (!matmuls.empty())
    for (const MatmulForm &matmul : matmuls)
      computing += machine::matmulSeconds(*device, type, matmul.at(local));
  else
    computing = double(costOf(op, local).flops) /
                machine::computeRate(*device, toComputeClass(opClass), type);
  return launch + std::max(computing, bytes(local) / machine::memoryRate(*device));
}

double OpCostModel::minSeconds(const OpShapes &shapes) const {
  double seconds = 0;
  for (const MatmulForm &matmul : matmuls) {
    machine::MatmulSize size = matmul.at(shapes);
    // Kernels multiply at the same rate for all sizes. An instruction may take the batch as rows,
    // as that of a linear layer on [batch, sequence, width] does.
    machine::MatmulSize merged{1, size.batch * size.rows, size.columns, size.depth};
    seconds += isInstruction ? std::min(machine::matmulSeconds(*device, type, size),
                                        machine::matmulSeconds(*device, type, merged))
                             : size.flops() / machine::matmulRate(*device, type);
  }
  return seconds;
}

double secondsOf(Operation *op, const OpShapes &local, const abi::Cluster &cluster) {
  return OpCostModel(op, cluster.device()).seconds(local);
}

} // namespace pcc::analysis
