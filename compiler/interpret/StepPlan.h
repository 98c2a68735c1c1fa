// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step ready to run: for each stage its sections, looked up and checked against one
// another, and its slots.
#pragma once

#include "compiler/interpret/Section.h"
#include "dialects/pipe/Pipe.h"

namespace pcc::interpret {

/// One slot: which section runs on which block of the batch.
struct Slot {
  size_t section;   ///< index of the stage's sections
  int64_t block;    ///< microbatch · copies + copy; of a slot for all copies the first one's
  int64_t number;   ///< among those of its section, by microbatch and copy
  std::string name; ///< `microbatch 1, copy 0`, `microbatch 1`; empty for a slot without indices
};

/// A stage's part of a step.
struct StagePlan {
  pipe::StepOp step;
  std::vector<Section> sections; ///< each once, in the order of their first slots
  std::optional<Section> start;  ///< runs once before the first step
  llvm::SmallVector<Slot> slots;
  /// Of each saved value, by key: how many arguments of sections read it.
  std::map<std::string, int64_t> readers;

  /// How often a section runs in a step.
  int64_t runsOf(size_t section) const {
    return llvm::count_if(slots, [=](const Slot &slot) { return slot.section == section; });
  }
};

/// A training step as the ranks run it.
struct StepPlan {
  std::vector<StagePlan> stages;
  int64_t blocks = 1; ///< into which a global batch is cut
  World world;

  mlir::Location getLoc() const { return pipe::StepOp(stages.front().step).getLoc(); }
};

/// The step of `module`. Diagnoses a program without one, stages with steps of different
/// microbatches, and sections that do not agree on how a parameter or a gradient lies or on who
/// saves what for whom.
mlir::FailureOr<StepPlan> makeStepPlan(mlir::ModuleOp module);

/// Diagnoses a batch or parameter that the step needs and that is missing or of the wrong shape.
mlir::LogicalResult checkStepValues(const StepPlan &plan, llvm::ArrayRef<NamedTensors> batches,
                                    const NamedTensors &parameters);

} // namespace pcc::interpret
