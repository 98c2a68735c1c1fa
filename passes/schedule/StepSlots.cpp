// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/StepSlots.h"

#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/facts/Sections.h"
#include "passes/facts/StageSections.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pcc::schedule {

FailureOr<StepSlots> StepSlots::read(ArrayRef<ModuleOp> modules) {
  StepSlots slots;
  for (ModuleOp module : modules)
    if (failed(slots.addStage(module)))
      return failure();
  slots.findShape();
  return slots;
}

LogicalResult StepSlots::addStage(ModuleOp module) {
  Stage &stage = stages.emplace_back();
  stage.module = module;
  stage.step = facts::getStep(module);
  if (!stage.step)
    return module.emitError("expected a step in each stage");
  pipe::StepOp first = stages.front().step;
  int64_t microbatches = stage.step.getMicroBatches(), copies = stage.step.getCopies();
  if (microbatches != int64_t(first.getMicroBatches()) || copies != int64_t(first.getCopies()))
    return stage.step.emitError("expected ")
           << first.getMicroBatches() << " microbatches of " << first.getCopies()
           << " copies as in the first stage, got " << microbatches << " of " << copies;
  for (auto slot : stage.step.getBody().getOps<pipe::ActionOp>()) {
    if (!slot.getMicrobatch()) {
      stage.others.push_back(slot);
      continue;
    }
    if (!stage.others.empty())
      return stage.others.back().emitError("expected \"")
             << stage.others.back().getSection()
             << "\", which runs once, behind the slots of microbatches";
    stage.slots[{slot.getSection(), slot.getNumber()}] = slot;
  }
  return success();
}

bool StepSlots::has(const Stage &stage, StringRef section, int64_t chunk) const {
  std::string name = facts::sectionOfChunk(section, chunk, shape.chunks);
  return stage.slots.contains({StringRef(name), 0});
}

void StepSlots::findShape() {
  pipe::StepOp step = stages.front().step;
  shape.devices = int(stages.size());
  shape.microbatches = step.getMicroBatches() * (step.areCopiesTogether() ? 1 : step.getCopies());
  if (!has(stages.front(), facts::forwardTrainName, 0)) {
    shape.chunks = 2; // so that section names have numbers
    while (has(stages.front(), facts::forwardTrainName, shape.chunks))
      ++shape.chunks;
  }
  isSplit = has(stages.front(), facts::backwardInputName, 0);
  if (shape.chunks == 2 && findLossStage() == 0)
    shape.placement = order::Placement::Vee;
}

/// Returns the stage of the last virtual stage.
int64_t StepSlots::findLossStage() const {
  std::string last = facts::sectionOfChunk(facts::forwardTrainName, shape.chunks - 1, shape.chunks);
  for (auto [number, stage] : llvm::enumerate(stages))
    if (auto function = ModuleOp(stage.module).lookupSymbol<func::FuncOp>(last))
      if (graph::findResult(function, graph::RoleKind::Loss))
        return number;
  return shape.devices - 1;
}

/// Returns the sections that do `work`, with their microbatches.
SmallVector<std::pair<std::string, int64_t>>
StepSlots::sectionsOf(const order::PipelineAction &work) const {
  using order::PipelineActionKind;
  SmallVector<std::pair<std::string, int64_t>> sections;
  auto add = [&](StringRef section, int chunk, int64_t microbatch) {
    sections.emplace_back(facts::sectionOfChunk(section, chunk, shape.chunks), microbatch);
  };
  bool isOverlapped = work.kind == PipelineActionKind::Overlapped;
  int chunk = isOverlapped ? work.backwardChunk : work.chunk;
  int64_t microbatch = isOverlapped ? work.backwardMicrobatch : work.microbatch;
  bool isWhole = isOverlapped || work.kind == PipelineActionKind::Backward;
  if (isOverlapped || work.kind == PipelineActionKind::Forward)
    add(facts::forwardTrainName, work.chunk, work.microbatch);
  if (isWhole && !isSplit)
    add(facts::backwardName, chunk, microbatch);
  if ((isWhole && isSplit) || work.kind == PipelineActionKind::BackwardInput)
    add(facts::backwardInputName, chunk, microbatch);
  if ((isWhole && isSplit) || work.kind == PipelineActionKind::BackwardWeight)
    add(facts::backwardWeightName, chunk, microbatch);
  return sections;
}

FailureOr<SmallVector<pipe::ActionOp>> StepSlots::slotsOf(Stage &stage,
                                                          ArrayRef<order::PipelineAction> works) {
  SmallVector<pipe::ActionOp> ordered;
  llvm::DenseSet<Operation *> placed;
  for (const order::PipelineAction &work : works)
    for (const auto &[section, microbatch] : sectionsOf(work)) {
      pipe::ActionOp slot = stage.slots.lookup({StringRef(section), microbatch});
      if (!slot)
        return stage.step.emitError("expected a slot of section \"")
               << section << "\" for each microbatch, as in the first stage";
      ordered.push_back(slot);
      placed.insert(slot);
    }
  for (auto slot : stage.step.getBody().getOps<pipe::ActionOp>())
    if (slot.getMicrobatch() && !placed.contains(slot))
      return slot.emitError("expected a section that a schedule knows, such as \"")
             << sectionsOf(works.front()).front().first << "\", got \"" << slot.getSection()
             << "\"";
  llvm::append_range(ordered, stage.others);
  return ordered;
}

LogicalResult StepSlots::reorder(const order::Order &order) {
  SmallVector<SmallVector<pipe::ActionOp>> orders;
  for (auto [stage, works] : llvm::zip_equal(stages, order)) {
    FailureOr<SmallVector<pipe::ActionOp>> slots = slotsOf(stage, works);
    if (failed(slots))
      return failure();
    orders.push_back(std::move(*slots));
  }
  for (ArrayRef<pipe::ActionOp> slots : orders)
    for (pipe::ActionOp slot : slots)
      slot->moveBefore(slot->getBlock(), slot->getBlock()->end());
  return success();
}

} // namespace pcc::schedule
