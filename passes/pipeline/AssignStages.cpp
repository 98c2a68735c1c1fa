// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AssignStages: finds a virtual stage for each op, from the stages that the user gives to some ops
// (VirtualStageFinder.h). Checks that the stages form a pipeline. Assumes that the loss is attached
// and the modes are separated, so that ops added here are differentiated. Leaves
// `pipe.virtual_stage` on the ops of all functions.
#include "dialects/graph/Roles.h"
#include "passes/pipeline/Passes.h"
#include "passes/pipeline/VirtualStageFinder.h"

using namespace mlir;

namespace pcc::pipeline {

#define GEN_PASS_DEF_ASSIGNSTAGES
#include "passes/pipeline/Passes.h.inc"

namespace {

/// Returns the function with the loss, else the first one.
func::FuncOp findMain(ArrayRef<func::FuncOp> functions) {
  for (func::FuncOp function : functions)
    if (!graph::findResults(function, graph::RoleKind::Loss).empty())
      return function;
  return functions.empty() ? func::FuncOp() : functions.front();
}

/// Checks that each virtual stage has work: a stage without work would only wait.
LogicalResult checkAllUsed(func::FuncOp function, const order::PipelineShape &shape) {
  llvm::BitVector used(shape.stages());
  for (Operation &op : function.getBody().front())
    if (auto chunk = op.getAttrOfType<IntegerAttr>(pipe::virtualStageAttrName))
      used.set(chunk.getInt());
  if (used.all())
    return success();
  int missing = used.find_first_unset();
  if (shape.chunks == 1)
    return function.emitError() << "no op is on stage " << missing
                                << ": expected ops on each of stages 0 to " << shape.stages() - 1;
  return function.emitError() << "no op is in chunk " << missing << ", of stage "
                              << shape.deviceOf(missing) << ": expected ops in each of chunks 0 to "
                              << shape.stages() - 1;
}

struct AssignStages : impl::AssignStagesBase<AssignStages> {
  using AssignStagesBase::AssignStagesBase;

  LogicalResult checkOptions() {
    if (stages < 1 || virtualStages < 1)
      return getOperation().emitError() << "expected at least one stage of one chunk, got "
                                        << stages.getValue() << " of " << virtualStages.getValue();
    if (placement == order::Placement::Vee && virtualStages != 2)
      return getOperation().emitError()
             << "expected two virtual stages in a vee, got " << virtualStages.getValue();
    return success();
  }

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    order::PipelineShape shape;
    shape.devices = stages;
    shape.chunks = virtualStages;
    shape.placement = placement;
    SmallVector<func::FuncOp> functions;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function.getBody().hasOneBlock())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(VirtualStageFinder(function, shape).run()))
        return signalPassFailure();
    func::FuncOp main = findMain(functions);
    if (main && failed(checkAllUsed(main, shape)))
      signalPassFailure();
  }
};

} // namespace
} // namespace pcc::pipeline
