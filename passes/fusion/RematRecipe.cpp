// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares bytes moved, from the value back to its operands with memoization. Recomputing an
// operand costs the bytes of its own operands. Reading it costs its bytes per reader, plus a write
// if it is not in memory yet. Does not weigh arithmetic.
#include "passes/fusion/RematRecipe.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/cost/Cost.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {

int64_t getNumElements(Value value) { return cast<ShapedType>(value.getType()).getNumElements(); }

bool isCheap(Operation *op) {
  return isa<AddOp, SubOp, MulOp, MaxOp, MinOp, NegOp, AbsOp, SquareOp, ReluOp, CompareOp, SelectOp,
             AndOp, OrOp, NotOp, CastOp>(op);
}

RematRecipe::RematRecipe(Value value, const analysis::Kernel &maker, int64_t readers)
    : maker(maker), elements(getNumElements(value)), readers(readers) {
  findCandidates(value.getDefiningOp());
  add(value.getDefiningOp());
}

/// Collects the ops that may be recomputed, nearest first.
void RematRecipe::findCandidates(Operation *last) {
  candidates.insert(last);
  for (size_t n = 0; n < candidates.size(); ++n)
    for (Value operand : candidates[n]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && candidates.size() < maxOps)
        if (analysis::isRecomputed(op) || isCheapToRecompute(operand))
          candidates.insert(op);
}

/// Whether the op does not round and cannot be contracted to a fused multiply-add.
static bool isExactOp(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto cast = dyn_cast<CastOp>(op)) {
    Type from = getElementTypeOrSelf(cast.getInput().getType());
    return type == from || (isa<FloatType>(type) && isa<FloatType>(from) &&
                            type.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth());
  }
  return !isa<FloatType>(type) || !isa<AddOp, SubOp, MulOp, SquareOp>(op);
}

bool RematRecipe::isExact() const {
  // A value that the kernel must now write is rounded to its type.
  bool isRounded = llvm::any_of(sources, [&](Value source) { return isUnwritten(source); });
  return !isRounded && llvm::all_of(ops, isExactOp);
}

/// Whether every kernel that reads the value recomputes it.
bool RematRecipe::isRecomputedEverywhere(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && analysis::isRecomputed(op);
}

/// Whether the kernel computes the value and does not write it to memory.
bool RematRecipe::isUnwritten(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && analysis::getKernelNumber(op) == maker.number &&
         !llvm::is_contained(maker.outputs, value);
}

bool RematRecipe::isCheapToRecompute(Value value) const {
  return isUnwritten(value) && isCheap(value.getDefiningOp()) && getNumElements(value) == elements;
}

int64_t RematRecipe::bytesOfOperands(Operation *op) {
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    bytes += bytesMoved(operand);
  return bytes;
}

/// Returns the bytes if all readers read the value from memory, and the kernel writes it if it does
/// not yet.
int64_t RematRecipe::bytesInMemory(Value value) const {
  return analysis::getNumBytes(value.getType()) * (readers + (isUnwritten(value) ? 1 : 0));
}

/// Chooses the option that moves fewer bytes; on a tie reads from memory.
bool RematRecipe::isRecomputed(Value value) {
  return isRecomputedEverywhere(value) ||
         (isCheapToRecompute(value) && candidates.contains(value.getDefiningOp()) &&
          bytesOfOperands(value.getDefiningOp()) < bytesInMemory(value));
}

int64_t RematRecipe::bytesMoved(Value value) {
  if (auto known = moved.find(value); known != moved.end())
    return known->second;
  if (isRecomputedEverywhere(value) && !candidates.contains(value.getDefiningOp()))
    return moved[value] = 0; // `add` finds that the recipe exceeds `maxOps`
  int64_t bytes =
      isRecomputed(value) ? bytesOfOperands(value.getDefiningOp()) : bytesInMemory(value);
  return moved[value] = bytes;
}

/// Adds an op, and the ops or sources of its operands.
void RematRecipe::add(Operation *op) {
  if (ops.contains(op) || op->getNumOperands() == 0)
    return;
  isComplete &= candidates.contains(op);
  if (!isComplete)
    return;
  for (Value operand : op->getOperands())
    if (isRecomputed(operand))
      add(operand.getDefiningOp());
    else
      sources.insert(operand);
  ops.insert(op);
}

} // namespace pcc::fusion
