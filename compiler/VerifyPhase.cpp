// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the invariants of phases by one table. An invariant is a predicate that every op satisfies
// after each phase from one to another, both included.
#include "compiler/VerifyPhase.h"

#include "compiler/passes/Structure.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace pcc;

namespace {

struct Invariant {
  CompilePhase from, to;
  const char *broken; ///< error text for an op that violates the invariant
  bool (*holds)(Operation *);
};

bool isOf(Operation *op, llvm::ArrayRef<llvm::StringRef> dialects) {
  return llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

bool isTensorOp(Operation *op) { return isa<FactorRuleOpInterface>(op); }

bool isDistributed(Operation *op) {
  return op->getParentOfType<ModuleOp>()->hasAttr(dist::meshAttrName);
}

/// Hand-written code for one rank needs no sharding.
bool isLocal(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && function->hasAttr(dist::localAttrName);
}

constexpr Invariant invariants[] = {
    {CompilePhase::Graph, CompilePhase::Schedule,
     "is not an op of the dialects graph, dist or pipe",
     [](Operation *op) { return isOf(op, {"builtin", "func", "graph", "dist", "pipe"}); }},
    {CompilePhase::Graph, CompilePhase::Grad, "has a sharding before one was chosen",
     [](Operation *op) {
       return !op->hasAttr(dist::inAttrName) && !op->hasAttr(dist::outAttrName);
     }},
    {CompilePhase::Strategy, CompilePhase::Strategy, "has no sharding",
     [](Operation *op) {
       return !isTensorOp(op) || !isDistributed(op) || isLocal(op) ||
              op->hasAttr(dist::outAttrName);
     }},
    {CompilePhase::Spmd, CompilePhase::Schedule, "is left over: phase spmd replaces it",
     [](Operation *op) { return !isa<dist::ReshardOp, dist::ToLocalOp, dist::ToGlobalOp>(op); }},
    {CompilePhase::Spmd, CompilePhase::Task,
     "still has a sharding: only arguments and results of functions keep one",
     [](Operation *op) {
       return !op->hasAttr(dist::inAttrName) && !op->hasAttr(dist::outAttrName);
     }},
    {CompilePhase::Spmd, CompilePhase::Schedule, "still has global shapes",
     [](Operation *op) {
       return !isa<func::FuncOp>(op) || !isDistributed(op) || op->hasAttr(dist::localAttrName);
     }},
    {CompilePhase::Stages, CompilePhase::Schedule,
     "is left over: values between stages are sent and received",
     [](Operation *op) { return !isa<pipe::TransferOp>(op); }},
    {CompilePhase::Task, CompilePhase::Llvm,
     "is left over: a rank's program holds only instructions",
     [](Operation *op) { return !op->getParentOfType<task::ProgramOp>() || isOf(op, {"task"}); }},
};

struct VerifyPhase : PassWrapper<VerifyPhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPhase)

  VerifyPhase() = default;
  VerifyPhase(const VerifyPhase &other) : PassWrapper(other) { phaseName = other.phaseName; }
  explicit VerifyPhase(CompilePhase phase) { phaseName = stringify(phase).str(); }

  llvm::StringRef getName() const override { return "VerifyPhase"; }
  llvm::StringRef getArgument() const override { return "verify-phase"; }
  llvm::StringRef getDescription() const override {
    return "check the invariants that hold after a phase";
  }

  void runOnOperation() override {
    std::optional<CompilePhase> phase = parsePhase(phaseName);
    if (!phase) {
      getOperation().emitError("unknown phase '") << phaseName << "'";
      return signalPassFailure();
    }
    bool broken = failed(checkStructure(getOperation(), phaseName));
    for (const Invariant &invariant : invariants)
      if (invariant.from <= *phase && *phase <= invariant.to)
        getOperation()->walk([&](Operation *op) {
          if (op == getOperation() || invariant.holds(op))
            return;
          op->emitError("after phase '")
              << phaseName << "': '" << op->getName() << "' " << invariant.broken;
          broken = true;
        });
    if (broken)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  Option<std::string> phaseName{*this, "phase", llvm::cl::desc("the phase that has just ended")};
};

} // namespace

std::unique_ptr<Pass> pcc::createVerifyPhasePass(CompilePhase phase) {
  return std::make_unique<VerifyPhase>(phase);
}

void pcc::registerVerifyPhasePass() { PassRegistration<VerifyPhase>(); }
