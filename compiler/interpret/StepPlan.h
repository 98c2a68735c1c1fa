// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step ready to run: its sections looked up and checked against one another.
#pragma once

#include "compiler/interpret/Section.h"
#include "dialects/pipe/Pipe.h"

namespace pcc::interpret {

/// One slot: which section runs on which block of the batch.
struct Slot {
  size_t section; ///< index of the step's sections
  int64_t block;  ///< microbatch · copies + copy
};

/// A training step as the ranks run it.
struct StepPlan {
  pipe::StepOp step;
  std::vector<Section> sections; ///< each once, in the order of their first slots
  std::optional<Section> start;  ///< runs once before the first step
  llvm::SmallVector<Slot> slots;
  int64_t blocks = 1; ///< into which a global batch is cut
  dist::Mesh ranks;   ///< that run

  /// How often the section of `slot` runs in a step.
  int64_t runsOf(const Slot &slot) const {
    return llvm::count_if(slots, [&](const Slot &s) { return s.section == slot.section; });
  }
};

/// The step of `module`. Diagnoses a module without one, and sections that do not agree on how a
/// parameter or a gradient lies.
mlir::FailureOr<StepPlan> makeStepPlan(mlir::ModuleOp module);

/// Diagnoses a batch or parameter that the step needs and that is missing or of the wrong shape.
mlir::LogicalResult checkStepValues(StepPlan &plan, llvm::ArrayRef<NamedTensors> batches,
                                    const NamedTensors &parameters);

} // namespace pcc::interpret
