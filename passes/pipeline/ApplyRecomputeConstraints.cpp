// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ApplyRecomputeConstraints: puts `pipe.recompute` onto the forward ops that `pipe.constraints`
// names. Ops of one rank have the names of the ops from which they were made. This pass therefore
// follows partition, and no earlier pass has to keep an annotation. Backward ops have names of
// their own. Collectives are left out: recomputing costs less than saving, but sending again does
// not. What a named module hands on to other ops is left out, too. So the backward pass recomputes
// one module at a time, from saved values. Where constraints disagree, the narrowest one holds.
#include "dialects/interfaces/FactorRuleInterface.h"
#include "dialects/pipe/Constraints.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/StageConstraints.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace pcc::pipeline {

#define GEN_PASS_DEF_APPLYRECOMPUTECONSTRAINTS
#include "passes/pipeline/Passes.h.inc"

namespace {

struct ApplyRecomputeConstraints : impl::ApplyRecomputeConstraintsBase<ApplyRecomputeConstraints> {
  using ApplyRecomputeConstraintsBase::ApplyRecomputeConstraintsBase;

  /// Returns whether ops outside of the constraint's module read a result of `op`. Backward ops
  /// read what their forward ops have read.
  static bool leavesModule(const StageConstraint &constraint, Operation *op) {
    StringRef module = constraint.findModule(op);
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !analysis::getDerivedFrom(user) && constraint.findModule(user) != module;
    });
  }

  /// Applies the constraints to one op, and adds those that match it to `matched`.
  LogicalResult apply(const StageConstraints &constraints, Operation *op,
                      llvm::SmallPtrSetImpl<const StageConstraint *> &matched) {
    bool isMarked = false;
    for (const StageConstraint *constraint : constraints.findMatches(op)) {
      if (!constraint->recompute)
        continue;
      matched.insert(constraint);
      isMarked |=
          *constraint->recompute && !(constraint->isOfModules() && leavesModule(*constraint, op));
    }
    RecomputeDecision decision = constraints.decideRecompute(op);
    if (decision.opposite) {
      auto state = [](const StageConstraint &constraint) {
        return std::string(*constraint.recompute ? "true" : "false") + " by " +
               constraint.describe();
      };
      return op->emitError() << "'" << analysis::getName(op)
                             << "' is given recompute: " << state(*decision.constraint)
                             << " and recompute: " << state(*decision.opposite)
                             << ", of which none is narrower; expected one of them";
    }
    if (isMarked && decision.recomputes())
      op->setAttr(pipe::recomputeAttrName, UnitAttr::get(&getContext()));
    return success();
  }

  void runOnOperation() override {
    FailureOr<StageConstraints> constraints = StageConstraints::read(getOperation());
    if (failed(constraints))
      return signalPassFailure();
    llvm::SmallPtrSet<const StageConstraint *, 8> matched;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      for (Operation &op : function.getOps())
        if (isa<FactorRuleOpInterface>(op) && !isa<pipe::TransferOp>(op) &&
            failed(apply(*constraints, &op, matched)))
          return signalPassFailure();
    for (const StageConstraint &constraint : constraints->getAll())
      if (constraint.recompute && !constraint.isAnnotation && !matched.contains(&constraint) &&
          failed(constraint.subject.refuseUnmatched(getOperation())))
        return signalPassFailure();
    getOperation()->removeAttr(pipe::constraintsAttrName);
  }
};

} // namespace
} // namespace pcc::pipeline
