// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/pipeline/TrainingParts.h"

#include "dialects/graph/Roles.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {
namespace {

/// Goal of an op: nothing, the gradient of one parameter, or more.
struct Goal {
  enum Kind { Nothing, OneGradient, More } kind = Nothing;
  unsigned result = 0; ///< of the function, if it is one gradient

  void add(Goal other) {
    if (kind == Nothing)
      *this = other;
    else if (other.kind != Nothing && (other.kind == More || other.result != result))
      kind = More;
  }
};

} // namespace

TrainingParts::TrainingParts(func::FuncOp function, bool splitsBackward) {
  for (Operation &op : function.getBody().front())
    parts[&op] = TrainingPart::BackwardInput;
  findForward(function);
  if (splitsBackward)
    findWeights(function);
}

void TrainingParts::findForward(func::FuncOp function) {
  SmallVector<Value> needed;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    RoleAttr role = getResultRole(function, index);
    if (!role || role.getKind() != RoleKind::Gradient)
      needed.push_back(value);
  }
  for (auto transfer : function.getOps<pipe::TransferOp>())
    if (transfer.getSource() < transfer.getTarget())
      needed.push_back(transfer.getResult());
  while (!needed.empty()) {
    Operation *op = needed.pop_back_val().getDefiningOp();
    if (!op || parts[op] == TrainingPart::Forward)
      continue;
    parts[op] = TrainingPart::Forward;
    llvm::append_range(needed, op->getOperands());
  }
}

void TrainingParts::findWeights(func::FuncOp function) {
  llvm::DenseMap<Operation *, Goal> goals;
  for (Operation &op : llvm::reverse(function.getBody().front().without_terminator())) {
    if (parts[&op] == TrainingPart::Forward)
      continue;
    Goal &goal = goals[&op];
    if (isa<pipe::TransferOp>(op))
      goal.kind = Goal::More;
    for (OpOperand &use : op.getUses()) {
      bool isReturned = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
      goal.add(isReturned ? Goal{Goal::OneGradient, use.getOperandNumber()}
                          : goals.lookup(use.getOwner()));
    }
    if (goal.kind == Goal::OneGradient)
      parts[&op] = TrainingPart::BackwardWeight;
  }
}

} // namespace pcc::pipeline
