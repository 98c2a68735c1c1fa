// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Recipe.h"

#include "dialects/graph/Graph.h"
#include "passes/facts/Cost.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

int64_t getNumElements(Value value) { return cast<ShapedType>(value.getType()).getNumElements(); }

bool isCheap(Operation *op) {
  return isa<AddOp, SubOp, MulOp, MaxOp, MinOp, NegOp, AbsOp, SquareOp, ReluOp, CompareOp, SelectOp,
             AndOp, OrOp, NotOp, CastOp>(op);
}

bool Recipe::isFree(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && facts::isRecomputed(op);
}

/// Whether the kernel computes it cheaply and leaves it in no memory.
bool Recipe::isComputed(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && facts::getKernelNumber(op) == maker.number && isCheap(op) &&
         getNumElements(value) == elements && !llvm::is_contained(maker.outputs, value);
}

int64_t Recipe::bytesOfOperands(Operation *op) {
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    bytes += bytesMoved(operand);
  return bytes;
}

/// Read from memory by all readers, where the kernel writes it if it does not lie there yet.
int64_t Recipe::bytesInMemory(Value value) const {
  return facts::getNumBytes(value.getType()) * (readers + (isComputed(value) ? 1 : 0));
}

/// In the cheaper of two ways; where both are alike, by what takes less memory.
bool Recipe::isComputedAgain(Value value) {
  return isFree(value) ||
         (isComputed(value) && bytesOfOperands(value.getDefiningOp()) < bytesInMemory(value));
}

int64_t Recipe::bytesMoved(Value value) {
  if (auto known = moved.find(value); known != moved.end())
    return known->second;
  int64_t bytes =
      isComputedAgain(value) ? bytesOfOperands(value.getDefiningOp()) : bytesInMemory(value);
  return moved[value] = bytes;
}

/// Adds an op, and how to get its operands.
void Recipe::add(Operation *op) {
  if (ops.contains(op) || op->getNumOperands() == 0)
    return;
  for (Value operand : op->getOperands())
    if (isComputedAgain(operand))
      add(operand.getDefiningOp());
    else
      sources.insert(operand);
  ops.insert(op);
}

} // namespace pcc::schedule
