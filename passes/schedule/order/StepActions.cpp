// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the shape of the pipeline from the names of sections, since a step has no other record of
// it. Reordering first finds all actions, and only then moves them.
#include "passes/schedule/order/StepActions.h"

#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/StageSections.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pcc::schedule {

FailureOr<StepActions> StepActions::read(ArrayRef<ModuleOp> modules) {
  StepActions actions;
  for (ModuleOp module : modules)
    if (failed(actions.addStage(module)))
      return failure();
  actions.findShape();
  return actions;
}

LogicalResult StepActions::addStage(ModuleOp module) {
  Stage &stage = stages.emplace_back();
  stage.module = module;
  stage.step = analysis::getStep(module);
  if (!stage.step)
    return module.emitError("expected a step in each stage");
  pipe::StepOp first = stages.front().step;
  int64_t microbatches = stage.step.getMicroBatches(), copies = stage.step.getCopies();
  if (microbatches != int64_t(first.getMicroBatches()) || copies != int64_t(first.getCopies()))
    return stage.step.emitError("expected ")
           << first.getMicroBatches() << " microbatches of " << first.getCopies()
           << " copies as in the first stage, got " << microbatches << " of " << copies;
  for (auto action : stage.step.getBody().getOps<pipe::ActionOp>()) {
    if (!action.getMicrobatch()) {
      stage.others.push_back(action);
      continue;
    }
    if (!stage.others.empty())
      return stage.others.back().emitError("expected \"")
             << stage.others.back().getSection()
             << "\", which runs once, behind the actions of microbatches";
    stage.actions[{action.getSection(), action.getNumber()}] = action;
  }
  return success();
}

bool StepActions::has(const Stage &stage, StringRef section, int64_t virtualStage) const {
  std::string name = analysis::sectionOfVirtualStage(section, virtualStage, shape.chunks);
  return stage.actions.contains({StringRef(name), 0});
}

void StepActions::findShape() {
  pipe::StepOp step = stages.front().step;
  shape.devices = int(stages.size());
  shape.microbatches = step.getMicroBatches() * (step.areCopiesTogether() ? 1 : step.getCopies());
  if (!has(stages.front(), analysis::forwardTrainName, 0)) {
    shape.chunks = 2; // so that section names have numbers
    while (has(stages.front(), analysis::forwardTrainName, shape.chunks))
      ++shape.chunks;
  }
  isSplit = has(stages.front(), analysis::backwardInputName, 0);
  if (shape.chunks == 2 && findLossStage() == 0)
    shape.placement = order::Placement::Vee;
}

/// Returns the stage of the last virtual stage.
int64_t StepActions::findLossStage() const {
  std::string last =
      analysis::sectionOfVirtualStage(analysis::forwardTrainName, shape.chunks - 1, shape.chunks);
  for (auto [number, stage] : llvm::enumerate(stages))
    if (auto function = ModuleOp(stage.module).lookupSymbol<func::FuncOp>(last))
      if (graph::findResult(function, graph::RoleKind::Loss))
        return number;
  return shape.devices - 1;
}

/// Returns the sections that do `work`, with their microbatches.
SmallVector<std::pair<std::string, int64_t>>
StepActions::sectionsOf(const order::PipelineAction &work) const {
  using order::PipelineActionKind;
  SmallVector<std::pair<std::string, int64_t>> sections;
  auto add = [&](StringRef section, int virtualStage, int64_t microbatch) {
    sections.emplace_back(analysis::sectionOfVirtualStage(section, virtualStage, shape.chunks),
                          microbatch);
  };
  bool isOverlapped = work.kind == PipelineActionKind::Overlapped;
  int virtualStage = isOverlapped ? work.backwardChunk : work.chunk;
  int64_t microbatch = isOverlapped ? work.backwardMicrobatch : work.microbatch;
  bool isWhole = isOverlapped || work.kind == PipelineActionKind::Backward;
  if (isOverlapped || work.kind == PipelineActionKind::Forward)
    add(analysis::forwardTrainName, work.chunk, work.microbatch);
  if (isWhole && !isSplit)
    add(analysis::backwardName, virtualStage, microbatch);
  if ((isWhole && isSplit) || work.kind == PipelineActionKind::BackwardInput)
    add(analysis::backwardInputName, virtualStage, microbatch);
  if ((isWhole && isSplit) || work.kind == PipelineActionKind::BackwardWeight)
    add(analysis::backwardWeightName, virtualStage, microbatch);
  return sections;
}

FailureOr<SmallVector<pipe::ActionOp>>
StepActions::actionsOf(Stage &stage, ArrayRef<order::PipelineAction> works) {
  SmallVector<pipe::ActionOp> ordered;
  llvm::DenseSet<Operation *> placed;
  for (const order::PipelineAction &work : works)
    for (const auto &[section, microbatch] : sectionsOf(work)) {
      pipe::ActionOp action = stage.actions.lookup({StringRef(section), microbatch});
      if (!action)
        return stage.step.emitError("expected an action of section \"")
               << section << "\" for each microbatch, as in the first stage";
      ordered.push_back(action);
      placed.insert(action);
    }
  for (auto action : stage.step.getBody().getOps<pipe::ActionOp>())
    if (action.getMicrobatch() && !placed.contains(action))
      return action.emitError("expected a section that a schedule knows, such as \"")
             << sectionsOf(works.front()).front().first << "\", got \"" << action.getSection()
             << "\"";
  llvm::append_range(ordered, stage.others);
  return ordered;
}

LogicalResult StepActions::reorder(const order::Order &order) {
  SmallVector<SmallVector<pipe::ActionOp>> orders;
  for (auto [stage, works] : llvm::zip_equal(stages, order)) {
    FailureOr<SmallVector<pipe::ActionOp>> actions = actionsOf(stage, works);
    if (failed(actions))
      return failure();
    orders.push_back(std::move(*actions));
  }
  for (ArrayRef<pipe::ActionOp> actions : orders)
    for (pipe::ActionOp action : actions)
      action->moveBefore(action->getBlock(), action->getBlock()->end());
  return success();
}

} // namespace pcc::schedule
