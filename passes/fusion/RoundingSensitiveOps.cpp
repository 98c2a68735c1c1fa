// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/fusion/RoundingSensitiveOps.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::fusion {

/// Whether `value` has the same constant number in every element.
static bool isNumber(Value value) {
  Operation *op = analysis::viewRoot(value).getDefiningOp();
  while (isa_and_nonnull<BroadcastOp>(op))
    op = analysis::viewRoot(op->getOperand(0)).getDefiningOp();
  return isa_and_nonnull<ConstantOp>(op);
}

static bool isRoundingSensitive(Operation *op) {
  if (auto compare = dyn_cast<CompareOp>(op))
    return llvm::none_of(compare->getOperands(), isNumber);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceOpKind::Max || reduce.getKind() == ReduceOpKind::Min;
  if (auto cast = dyn_cast<CastOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(cast.getInput().getType())) &&
           !isa<FloatType>(getElementTypeOrSelf(cast.getType()));
  return isa<MaxPoolOp, MaxPoolGradientOp, ArgmaxOp, ArgminOp, TopKOp, FloorOp, CeilOp, RoundOp>(
      op);
}

RoundingSensitiveOps::RoundingSensitiveOps(func::FuncOp function) {
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool passesOn = op.hasTrait<graph::Elementwise>() || analysis::isRecomputed(&op);
    auto isOne = [&](Operation *user) { return contains(user); };
    if (isRoundingSensitive(&op) || (passesOn && llvm::any_of(op.getUsers(), isOne)))
      ops.insert(&op);
  }
}

Operation *RoundingSensitiveOps::clone(OpBuilder &b, Operation &op, IRMapping &copies) {
  Operation *copy = b.clone(op, copies);
  if (contains(&op))
    ops.insert(copy);
  return copy;
}

} // namespace pcc::fusion
