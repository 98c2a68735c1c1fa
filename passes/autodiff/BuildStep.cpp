// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BuildStep: makes the step @train of one rank. With m microbatches of k copies, its actions are
//
//   slot @forward_backward microbatch 0 copy 0 … copy k-1, microbatch 1 copy 0 …, slot @update
//
// Annotates the loss and the gradients of @forward_backward as accumulated over these actions, with
// the scale by which @update and the report read the sum. Scheduling may reorder the actions later.
#include "passes/analysis/BatchDependence.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/Signature.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// Returns the label that does not count in a loss which is the mean over the others.
static std::optional<int64_t> findUncounted(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<graph::SoftmaxCrossEntropyOp, graph::NllOp>([](auto loss) -> std::optional<int64_t> {
        bool isMean = loss.getReduction() == graph::LossReduction::Mean;
        return isMean ? loss.getIgnoreIndex() : std::nullopt;
      })
      .Default(std::nullopt);
}

/// Warns of losses whose gradients, added over `parts` parts of the batch and multiplied by
/// `scale`, may not be those of the batch.
static void warnOfParts(func::FuncOp section, int64_t parts, double scale) {
  if (parts == 1)
    return;
  std::string what = std::to_string(parts) + " parts of the batch, microbatches times copies";
  section.walk([&](Operation *op) {
    bool addsSamples = op->hasAttr(analysis::addsSamplesAttrName) || analysis::isSumLoss(op);
    if (scale != 1 && addsSamples)
      op->emitWarning() << "the loss adds up samples: the gradients of " << what
                        << ", are added and multiplied by " << scale
                        << ", so they are that share of those of the batch";
    else if (std::optional<int64_t> label = findUncounted(op))
      op->emitWarning() << "labels that equal " << *label << " do not count in the loss: each of "
                        << what << ", takes the mean over its own labels, so the gradients are "
                        << "those of the batch only if equally many labels count in all parts";
  });
}

struct BuildStep : impl::BuildStepBase<BuildStep> {
  using BuildStepBase::BuildStepBase;

  void annotateAccumulated(func::FuncOp section, graph::RoleKind kind) {
    double scale = scaleOf(kind, microBatches, copies, microReduction);
    for (unsigned index : graph::findResults(section, kind))
      section.setResultAttr(index, pipe::accumulateAttrName,
                            pipe::AccumulateAttr::get(&getContext(), scale));
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
    warnOfParts(section, microBatches * copies,
                scaleOf(graph::RoleKind::Gradient, microBatches, copies, microReduction));
    annotateAccumulated(section, graph::RoleKind::Loss);
    annotateAccumulated(section, graph::RoleKind::Gradient);
    buildStep(update);
  }
};

} // namespace pcc::autodiff
