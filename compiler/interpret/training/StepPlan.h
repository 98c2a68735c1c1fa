// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares a training step: for each stage its sections, looked up and checked against each other,
// and its actions.
#pragma once

#include "compiler/interpret/function/Section.h"
#include "dialects/pipe/Pipe.h"

namespace pcc::interpret {

/// One action: a section and the block of the batch on which it runs.
struct Action {
  size_t section;   ///< index of the stage's sections
  int64_t block;    ///< microbatch · copies + copy; copy 0 for an action of all copies
  int64_t number;   ///< among the actions of its section, by microbatch and copy
  std::string name; ///< `microbatch 1, copy 0`, `microbatch 1`; empty for an action without indices
};

/// One stage's part of a step.
struct StagePlan {
  pipe::StepOp step;
  std::vector<Section> sections; ///< each once, in the order of their first actions
  std::optional<Section> start;  ///< runs once before the first step
  llvm::SmallVector<Action> actions;
  /// Number of section arguments that read each saved value, by key.
  std::map<std::string, int64_t> readers;

  /// Returns the number of runs of a section in a step.
  int64_t runsOf(size_t section) const {
    return llvm::count_if(actions, [=](const Action &action) { return action.section == section; });
  }
};

/// A training step as the ranks run it.
struct StepPlan {
  std::vector<StagePlan> stages;
  int64_t blocks = 1; ///< number of blocks of a global batch
  World world;

  mlir::Location getLoc() const { return pipe::StepOp(stages.front().step).getLoc(); }
};

/// Returns the step of `module` or of its first stage; null if there is none.
pipe::StepOp findStep(mlir::ModuleOp module);

/// An input of a step, and the shape of its global batch.
struct BatchInput {
  Binding binding;
  llvm::SmallVector<mlir::Value> arguments; ///< of all sections that take it
  llvm::SmallVector<int64_t, 4> shape;
};
/// Returns the batch inputs of the steps of all stages; empty for a module without a step.
std::vector<BatchInput> batchInputs(mlir::ModuleOp module);

/// Returns the step of `module`. Emits an error for a program without a step, and for stages with
/// steps of different microbatches. Also emits an error for sections with different shardings of a
/// parameter or gradient, and for saved values without exactly one saving section.
mlir::FailureOr<StepPlan> makeStepPlan(mlir::ModuleOp module);

/// Emits an error if a batch or parameter of the step is missing or has the wrong shape.
mlir::LogicalResult checkStepValues(const StepPlan &plan, llvm::ArrayRef<NamedTensors> batches,
                                    const NamedTensors &parameters);

} // namespace pcc::interpret
