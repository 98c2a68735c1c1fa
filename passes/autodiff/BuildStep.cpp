// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BuildStep: makes the step @train of one rank. With m microbatches of k copies, its actions are
//
//   slot @forward_backward microbatch 0 copy 0 … copy k-1, microbatch 1 copy 0 …, slot @update
//
// Annotates the loss and the gradients of @forward_backward as accumulated over these actions, with
// the scale by which @update and the report read the sum. Scheduling may reorder the actions later.
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "passes/autodiff/TrainingState.h"

using namespace mlir;

namespace pcc::autodiff {

#define GEN_PASS_DEF_BUILDSTEP
#include "passes/autodiff/Passes.h.inc"

/// Returns the scale of an accumulated result of role `kind`.
static double scaleOf(graph::RoleKind kind, int64_t m, int64_t k, pipe::MicroReduction reduction) {
  if (reduction == pipe::MicroReduction::Mean)
    return 1.0 / (double(m) * double(k));
  return kind == graph::RoleKind::Loss ? 1.0 : 1.0 / double(m);
}

struct BuildStep : impl::BuildStepBase<BuildStep> {
  using BuildStepBase::BuildStepBase;

  /// Annotates the loss and the gradients as accumulated. The share is a mean in any case: the
  /// update divides what the reduction makes of the parts.
  void annotateAccumulated(func::FuncOp section) {
    std::optional<unsigned> share = findCountedShare(section);
    for (auto kind : {graph::RoleKind::Loss, graph::RoleKind::Gradient})
      for (unsigned index : graph::findResults(section, kind)) {
        auto reduction = share == index ? pipe::MicroReduction::Mean : microReduction.getValue();
        double scale = scaleOf(kind, microBatches, copies, reduction);
        section.setResultAttr(index, pipe::accumulateAttrName,
                              pipe::AccumulateAttr::get(&getContext(), scale));
      }
  }

  /// Says that the loss, and with copies the gradients, are not those of the batch.
  void remarkOfSums(ModuleOp module) {
    int64_t parts = microBatches * copies;
    if (parts == 1 || microReduction != pipe::MicroReduction::Sum)
      return;
    InFlightDiagnostic remark = module.emitRemark()
                                << "the losses of " << parts
                                << " parts of the batch, microbatches times copies, are added";
    if (copies > 1)
      remark << ", and the gradients are " << copies.getValue() << " times their mean";
    remark << ": '--micro-reduction=mean' takes the mean, which is that of the batch";
  }

  void buildStep(func::FuncOp behind) {
    OpBuilder builder(behind);
    builder.setInsertionPointAfter(behind);
    Location loc = behind.getLoc();
    auto step = pipe::StepOp::create(builder, loc, trainName, microBatches, copies, microReduction);
    builder.createBlock(&step.getBody());
    for (int64_t microbatch = 0; microbatch < microBatches; ++microbatch)
      for (int64_t copy = 0; copy < copies; ++copy)
        pipe::ActionOp::create(builder, loc, forwardBackwardName,
                               builder.getI64IntegerAttr(microbatch),
                               builder.getI64IntegerAttr(copy));
    pipe::ActionOp::create(builder, loc, updateName, IntegerAttr(), IntegerAttr());
  }

  LogicalResult checkOptions(ModuleOp module) {
    if (microBatches < 1)
      return module.emitError() << "expected at least one microbatch, got "
                                << microBatches.getValue();
    if (copies < 1)
      return module.emitError() << "expected at least one copy, got " << copies.getValue();
    if (Operation *existing = module.lookupSymbol(trainName))
      return existing->emitError() << "the module has a '" << trainName << "' already";
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions(module)))
      return signalPassFailure();
    func::FuncOp section =
        findFunction(module, forwardBackwardName, "run --autodiff-differentiate first");
    func::FuncOp update =
        section ? findFunction(module, updateName, "run --autodiff-build-update first") : section;
    if (!update)
      return signalPassFailure();
    remarkOfSums(module);
    annotateAccumulated(section);
    buildStep(update);
  }
};

} // namespace pcc::autodiff
