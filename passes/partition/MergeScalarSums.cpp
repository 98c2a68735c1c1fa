// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MergeScalarSums: sums scalars before they are reduced over ranks, so that the terms of one sum
// need one all-reduce for each group. The global norm of the gradients has a term for each
// parameter; parameters that are cut alike have terms over the same ranks.
//
//   a' = all_reduce a; b' = all_reduce b; s = (a' + b') + c     s = all_reduce (a + b) + c
//
// Assumes functions of one rank's types. Only scalars are worth it: the order of additions changes.
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "passes/partition/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;

namespace pcc::partition {

#define GEN_PASS_DEF_MERGESCALARSUMS
#include "passes/partition/Passes.h.inc"

namespace {

bool isScalarSum(Operation *op) {
  auto add = dyn_cast_or_null<graph::AddOp>(op);
  return add && add.getType().getRank() == 0 && isa<FloatType>(add.getType().getElementType());
}

/// Collects the terms of a sum from left to right. Sums with other users are terms.
void collectTerms(Value value, SmallVectorImpl<Value> &terms) {
  for (Value operand : value.getDefiningOp()->getOperands())
    if (isScalarSum(operand.getDefiningOp()) && operand.hasOneUse())
      collectTerms(operand, terms);
    else
      terms.push_back(operand);
}

/// Builds the sum of `terms`, of which there is at least one.
Value addAll(OpBuilder &builder, Location loc, ArrayRef<Value> terms) {
  Value sum = terms.front();
  for (Value term : terms.drop_front())
    sum = graph::AddOp::create(builder, loc, sum, term);
  return sum;
}

/// Rewrites the sum `root` if two of its terms are reduced over the same group.
void mergeTerms(graph::AddOp root) {
  SmallVector<Value> terms, others;
  collectTerms(root, terms);
  llvm::MapVector<Attribute, SmallVector<dist::AllReduceOp>> groups;
  for (Value term : terms) {
    auto reduce = term.getDefiningOp<dist::AllReduceOp>();
    if (reduce && reduce.getKind() == ReduceKind::Sum && term.hasOneUse())
      groups[reduce.getGroupAttr()].push_back(reduce);
    else
      others.push_back(term);
  }
  if (llvm::all_of(groups, [](auto &group) { return group.second.size() < 2; }))
    return;
  OpBuilder builder(root);
  SmallVector<Value> sums;
  for (auto &[group, reduces] : groups) {
    SmallVector<Value> inputs;
    for (dist::AllReduceOp reduce : reduces)
      inputs.push_back(reduce.getInput());
    Location loc = reduces.front().getLoc();
    sums.push_back(dist::AllReduceOp::create(builder, loc, root.getType(), ReduceKind::Sum,
                                             addAll(builder, loc, inputs),
                                             reduces.front().getGroupAttr()));
  }
  llvm::append_range(sums, others);
  root.getResult().replaceAllUsesWith(addAll(builder, root.getLoc(), sums));
}

struct MergeScalarSums : impl::MergeScalarSumsBase<MergeScalarSums> {
  using MergeScalarSumsBase::MergeScalarSumsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      SmallVector<graph::AddOp> roots;
      function.walk([&](graph::AddOp add) {
        if (isScalarSum(add) && !(add->hasOneUse() && isScalarSum(*add->getUsers().begin())))
          roots.push_back(add);
      });
      llvm::for_each(roots, mergeTerms);
      eraseDeadOps(function);
    }
  }

private:
  static void eraseDeadOps(func::FuncOp function) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isa<graph::AddOp, dist::AllReduceOp>(op) && isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace pcc::partition
