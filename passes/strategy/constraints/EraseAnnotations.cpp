// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes all annotations of a strategy: mesh, constraints, shardings, gradient factors, stages.
// The result is the single-device program, textually equal to the program before the strategy.
// Assumes global shapes: a module with functions of one rank's shapes stays unchanged.
#include "dialects/pipe/Constraints.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/strategy/Passes.h"

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYERASEANNOTATIONS
#include "passes/strategy/Passes.h.inc"

namespace {

void eraseAnnotations(func::FuncOp function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    function.removeArgAttr(index, dist::shardingAttrName);
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    for (StringRef name : {dist::shardingAttrName, dist::gradientFactorAttrName})
      function.removeResultAttr(index, StringAttr::get(function.getContext(), name));
  function.walk([](Operation *op) {
    op->removeAttr(dist::inAttrName);
    op->removeAttr(dist::outAttrName);
    op->removeAttr(pipe::stageAttrName);
    op->removeAttr(pipe::virtualStageAttrName);
    op->removeAttr(pipe::recomputeAttrName);
  });
}

struct EraseAnnotations : impl::StrategyEraseAnnotationsBase<EraseAnnotations> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (llvm::any_of(module.getOps<func::FuncOp>(),
                     [](func::FuncOp function) { return function->hasAttr(dist::localAttrName); }))
      return;
    for (Operation &op : *module.getBody()) {
      op.removeAttr(dist::shardingAttrName);
      if (auto function = dyn_cast<func::FuncOp>(op))
        eraseAnnotations(function);
    }
    for (StringRef name :
         {dist::meshAttrName, dist::constraintsAttrName, pipe::constraintsAttrName})
      module->removeAttr(name);
  }
};

} // namespace
} // namespace pcc::strategy
