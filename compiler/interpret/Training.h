// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the training steps of a module that has a `pipe.step`, or of which each stage has one: slots
// in their order, accumulation over microbatches and copies, optimizer states carried from step to
// step.
#pragma once

#include "compiler/interpret/Run.h"
#include "dialects/pipe/Pipe.h"

namespace pcc::interpret {

struct TrainingResult {
  /// The loss of each step, as its accumulation gives it.
  std::vector<Tensor> losses;
  /// Of the last step: every accumulated result times its scale (`loss`, `gradient w`, …), as the
  /// update reads it, and the outputs of the last slot; of a gradient that several stages have the
  /// sum.
  NamedTensors results;
  /// After the last step: parameters and optimizer states (`parameter w`, `parameter w.momentum`).
  NamedTensors parameters;
};

/// Trains one step on each of `batches`, of which there is at least one: global batches by input
/// key, whose dimension 0 is cut in micro_batches · copies equal blocks; copy j of microbatch i
/// reads block i · copies + j (docs/spec/interpreter.md). `parameters` has every parameter and
/// state at the beginning.
mlir::FailureOr<TrainingResult> runTraining(mlir::ModuleOp module,
                                            llvm::ArrayRef<NamedTensors> batches,
                                            const NamedTensors &parameters,
                                            const RunOptions &options = {});

/// The step of `module` or of its first stage, null if there is none.
pipe::StepOp findStep(mlir::ModuleOp module);

/// An input of a step and the shape of its global batch.
struct BatchInput {
  Binding binding;
  llvm::SmallVector<mlir::Value> arguments; ///< of all sections that take it
  llvm::SmallVector<int64_t, 4> shape;
};
/// Of the steps of all stages; empty for a module without a step.
std::vector<BatchInput> batchInputs(mlir::ModuleOp module);

} // namespace pcc::interpret
