// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the invariants of phases by one table. An invariant holds from one phase to another and is
// a predicate on each op.

#include "compiler/VerifyStage.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace pcc;

namespace {

struct Law {
  Stage from, to;
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

constexpr Law laws[] = {
    {Stage::Graph, Stage::Schedule, "is not an op of pcc's dialects",
     [](Operation *op) { return isOf(op, {"builtin", "func", "graph", "dist", "pipe"}); }},
    {Stage::Graph, Stage::Grad, "has a sharding before one was chosen",
     [](Operation *op) {
       return !op->hasAttr(dist::inAttrName) && !op->hasAttr(dist::outAttrName);
     }},
    {Stage::Strategy, Stage::Strategy, "has no sharding",
     [](Operation *op) {
       return !isTensorOp(op) || !isDistributed(op) || isLocal(op) ||
              op->hasAttr(dist::outAttrName);
     }},
    {Stage::Spmd, Stage::Schedule, "is left over: every reshard must have become collectives",
     [](Operation *op) { return !isa<dist::ReshardOp, dist::ToLocalOp, dist::ToGlobalOp>(op); }},
    {Stage::Spmd, Stage::Task, "still has a sharding: only functions' boundaries keep theirs",
     [](Operation *op) {
       return !op->hasAttr(dist::inAttrName) && !op->hasAttr(dist::outAttrName);
     }},
    {Stage::Spmd, Stage::Schedule, "still has global shapes",
     [](Operation *op) {
       return !isa<func::FuncOp>(op) || !isDistributed(op) || op->hasAttr(dist::localAttrName);
     }},
    {Stage::Stages, Stage::Schedule, "is left over: values between stages are sent and received",
     [](Operation *op) { return !isa<pipe::TransferOp>(op); }},
    {Stage::Task, Stage::Llvm, "is left over: a rank's program holds only records",
     [](Operation *op) { return !op->getParentOfType<task::ProgramOp>() || isOf(op, {"task"}); }},
};

struct VerifyStage : PassWrapper<VerifyStage, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStage)

  VerifyStage() = default;
  VerifyStage(const VerifyStage &other) : PassWrapper(other) { stageName = other.stageName; }
  explicit VerifyStage(Stage stage) { stageName = stringify(stage).str(); }

  llvm::StringRef getName() const override { return "VerifyStage"; }
  llvm::StringRef getArgument() const override { return "verify-stage"; }
  llvm::StringRef getDescription() const override {
    return "checks what holds after a stage of the road";
  }

  void runOnOperation() override {
    std::optional<Stage> stage = parseStage(stageName);
    if (!stage) {
      getOperation().emitError("unknown stage '") << stageName << "'";
      return signalPassFailure();
    }
    bool broken = false;
    for (const Law &law : laws)
      if (law.from <= *stage && *stage <= law.to)
        getOperation()->walk([&](Operation *op) {
          if (op == getOperation() || law.holds(op))
            return;
          op->emitError("after stage '")
              << stageName << "': '" << op->getName() << "' " << law.broken;
          broken = true;
        });
    if (broken)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  Option<std::string> stageName{*this, "stage", llvm::cl::desc("the stage just done")};
};

} // namespace

std::unique_ptr<Pass> pcc::createVerifyStagePass(Stage stage) {
  return std::make_unique<VerifyStage>(stage);
}

void pcc::registerVerifyStagePass() { PassRegistration<VerifyStage>(); }
