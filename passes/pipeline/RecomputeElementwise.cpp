// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RecomputeElementwise: annotates elementwise ops that the backward pass recomputes at little cost.
//
//   forward    %s = silu %gate, %p = mul %s, %up        saves %gate, %up and %p, but not %s
//   backward   %du = mul %dp, %s                        reads silu(%gate) instead of %s
//              %dgate = … %gate …
//
// The op's result is not saved if two conditions hold. All its readers in the backward pass compute
// element by element, so that one kernel computes both. Everything that it is computed from is
// saved for other readers, or is an argument. The chain of ops between is short.
//
// Assumes a training function of local types, before it is cut. Sets only `pipe.recompute`. Ops on
// whose recomputation the user has decided are left out.
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Constraints.h"
#include "passes/pipeline/OpSections.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/StageConstraints.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {

#define GEN_PASS_DEF_RECOMPUTEELEMENTWISE
#include "passes/pipeline/Passes.h.inc"

namespace {

/// Largest number of ops that are recomputed for one value, one after the other.
constexpr int maxChain = 3;

/// Selects ops of one training function.
class ElementwiseSelector {
public:
  ElementwiseSelector(func::FuncOp function, const StageConstraints &constraints)
      : function(function), constraints(constraints), parts(function, /*splitsBackward=*/false) {}

  void run() {
    for (Operation &op : function.getBody().front().without_terminator()) {
      SmallVector<Operation *> chain;
      if (mayRecompute(&op) && isReadBackward(&op) && readsElementwise(op.getResult(0)) &&
          isComputable(&op, chain, maxChain))
        for (Operation *part : chain)
          part->setAttr(pipe::recomputeAttrName, UnitAttr::get(function.getContext()));
    }
  }

private:
  bool isBackward(Operation *op) const {
    return parts.of(op) != TrainingPart::Forward && !op->hasTrait<OpTrait::IsTerminator>();
  }
  bool isReadBackward(Operation *op) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return isBackward(user); });
  }
  bool mayRecompute(Operation *op) const;
  bool readsElementwise(Value value) const;
  bool isComputable(Operation *op, SmallVectorImpl<Operation *> &chain, int rest) const;

  func::FuncOp function;
  const StageConstraints &constraints;
  TrainingParts parts;
};

/// Returns whether `op` is an elementwise op of the forward pass without a decision of the user.
bool ElementwiseSelector::mayRecompute(Operation *op) const {
  return op->hasTrait<Elementwise>() && op->getNumResults() == 1 && !isBackward(op) &&
         !constraints.decideRecompute(op).constraint;
}

/// Returns whether all readers in the backward pass compute element by element, or add elements up.
bool ElementwiseSelector::readsElementwise(Value value) const {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (!isBackward(user))
      return true;
    if (isa<ReshapeOp>(user))
      return readsElementwise(user->getResult(0));
    return isa<ReduceOp>(user) || user->hasTrait<Elementwise>();
  });
}

/// Returns whether the backward pass can compute `op` from arguments and from values that it reads
/// in any case. Adds the ops to `chain` that it computes, at most `rest` one after the other.
bool ElementwiseSelector::isComputable(Operation *op, SmallVectorImpl<Operation *> &chain,
                                       int rest) const {
  if (rest == 0 || !mayRecompute(op))
    return false;
  chain.push_back(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    while (auto view = operand.getDefiningOp<ReshapeOp>())
      operand = view.getInput();
    if (auto spread = operand.getDefiningOp<BroadcastOp>())
      operand = spread.getInput();
    Operation *source = operand.getDefiningOp();
    if (!source || source->hasTrait<OpTrait::ConstantLike>())
      return true;
    bool isSaved = isReadBackward(source) && !source->hasAttr(pipe::recomputeAttrName) &&
                   !constraints.decideRecompute(source).recomputes();
    return isSaved || isComputable(source, chain, rest - 1);
  });
}

struct RecomputeElementwise : impl::RecomputeElementwiseBase<RecomputeElementwise> {
  using RecomputeElementwiseBase::RecomputeElementwiseBase;

  void runOnOperation() override {
    FailureOr<StageConstraints> constraints = StageConstraints::read(getOperation());
    if (failed(constraints))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !findResults(function, RoleKind::Gradient).empty())
        ElementwiseSelector(function, *constraints).run();
  }
};

} // namespace
} // namespace pcc::pipeline
