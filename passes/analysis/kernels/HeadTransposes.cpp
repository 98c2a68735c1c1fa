// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches transposes by their permutation. An attention and its gradients are accepted only
// together, because they share the layout of the result.
#include "passes/analysis/kernels/HeadTransposes.h"

#include "dialects/task/EpilogueAttrs.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::analysis {

TransposeOp asHeadTranspose(Operation *op) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  bool fits = transpose && transpose.getPermutation() == ArrayRef(headsWithPositions) &&
              !op->hasAttr(task::attentionAttrName);
  return fits ? transpose : nullptr;
}

TransposeOp headTransposeAfter(Value value) {
  for (Operation *user : value.getUsers())
    if (TransposeOp transpose = asHeadTranspose(user))
      return transpose;
  return nullptr;
}

static bool isReadTransposed(Value value) {
  return asHeadTranspose(value.getDefiningOp()) != nullptr;
}

static bool isUsedTransposed(Value value) {
  return value.hasOneUse() && headTransposeAfter(value) != nullptr;
}

bool usesHeadTransposes(AttentionGradientOp op) {
  Value operands[] = {op.getQuery(), op.getKey(), op.getValue(), op.getGradient()};
  Value results[] = {op.getQueryGradient(), op.getKeyGradient(), op.getValueGradient()};
  return llvm::all_of(operands, isReadTransposed) && llvm::all_of(results, isUsedTransposed);
}

bool usesHeadTransposes(AttentionOp op) {
  Value operands[] = {op.getQuery(), op.getKey(), op.getValue()};
  unsigned transposes = 0;
  bool fits = llvm::all_of(operands, isReadTransposed) && !op.getResult().use_empty();
  for (OpOperand &use : op.getResult().getUses()) {
    auto gradient = dyn_cast<AttentionGradientOp>(use.getOwner());
    bool isRead = gradient && &use == &gradient.getResultMutable() && usesHeadTransposes(gradient);
    bool isTransposed = asHeadTranspose(use.getOwner()) != nullptr;
    transposes += isTransposed;
    fits &= isRead || isTransposed;
  }
  return fits && transposes <= 1;
}

} // namespace pcc::analysis
