// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MergeScaledSums: of two sums over ranks, of a value and of the same value times a constant,
// computes one. The local form of a norm scales before it sums. A derivative that computes the mean
// again may have summed first, if its strategy completes the sum there:
//
//   %mean = all_reduce (div %x, %count)            %mean = all_reduce (div %x, %count)
//   %again = div (all_reduce %x), %count           its readers read %mean
//
// The ops that read both are then equal, and are merged as well: first the deviations from the
// mean, then the sums of their squares, and so on. Assumes functions of one rank's types. Only for
// f32 and f64, where the order of the two roundings matters little; integers are cut off by a
// division.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Constants.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "passes/partition/Passes.h"

using namespace mlir;
using namespace pcc;

namespace pcc::partition {

#define GEN_PASS_DEF_MERGESCALEDSUMS
#include "passes/partition/Passes.h.inc"

namespace {

/// Returns whether `op` scales `value` by a constant.
bool scales(Operation *op, Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() >= 32 && isa<graph::DivOp, graph::MulOp>(op) &&
         op->getOperand(0) == value && graph::getSplat(op->getOperand(1));
}

bool isSameSum(dist::AllReduceOp lhs, dist::AllReduceOp rhs) {
  return lhs.getKind() == ReduceKind::Sum && rhs.getKind() == ReduceKind::Sum &&
         lhs.getGroupAttr() == rhs.getGroupAttr();
}

/// Returns the sum over ranks of the input of `sum`, scaled as `scale` scales the result; null if
/// the function does not compute it.
Value findSumOfScaled(dist::AllReduceOp sum, Operation *scale) {
  for (Operation *other : sum.getInput().getUsers()) {
    bool isAlike = scales(other, sum.getInput()) && other->getName() == scale->getName() &&
                   other->getOperand(1) == scale->getOperand(1);
    if (!isAlike)
      continue;
    for (Operation *reader : other->getUsers())
      if (auto scaledSum = dyn_cast<dist::AllReduceOp>(reader);
          scaledSum && isSameSum(sum, scaledSum))
        return scaledSum.getResult();
  }
  return {};
}

/// Replaces one of each two equal values by the one that is computed first. Returns whether there
/// were any.
bool mergePairs(func::FuncOp function) {
  bool changed = false;
  for (Operation &op : function.getBody().front()) {
    auto sum = op.getNumOperands() ? op.getOperand(0).getDefiningOp<dist::AllReduceOp>() : nullptr;
    if (!sum || !scales(&op, sum))
      continue;
    Value other = findSumOfScaled(sum, &op), own = op.getResult(0);
    if (!other || (other.use_empty() || own.use_empty()))
      continue;
    if (other.getDefiningOp()->isBeforeInBlock(&op))
      own.replaceAllUsesWith(other);
    else
      other.replaceAllUsesWith(own);
    changed = true;
  }
  return changed;
}

struct MergeScaledSums : impl::MergeScaledSumsBase<MergeScaledSums> {
  using MergeScaledSumsBase::MergeScaledSumsBase;

  /// Each merge makes more ops equal, and so more sums. Ends because each one leaves fewer values
  /// with readers.
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    IRRewriter rewriter(&getContext());
    while (mergePairs(function))
      eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(), function);
  }
};

} // namespace
} // namespace pcc::partition
