// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the training steps of a module with a `pipe.step`, or with one `pipe.step` per stage:
// actions in their order, accumulation over microbatches and copies, and optimizer states carried
// from step to step.
#pragma once

#include "compiler/interpret/function/Run.h"

namespace pcc::interpret {

struct TrainingResult {
  /// Accumulated loss of each step.
  std::vector<Tensor> losses;
  /// Results of the last step: every accumulated result times its scale (`loss`, `gradient w`, …),
  /// as the update reads it, and the outputs of the last action. A gradient of several stages is
  /// their sum.
  NamedTensors results;
  /// Parameters and optimizer states after the last step (`parameter w`, `parameter w.momentum`).
  NamedTensors parameters;
};

/// Trains one step on each of `batches`, which must not be empty. These are global batches by input
/// key; dimension 0 is cut into micro_batches · copies equal blocks. Copy j of microbatch i reads
/// block i · copies + j (docs/spec/interpreter.md). `parameters` has the initial values of all
/// parameters and states.
mlir::FailureOr<TrainingResult> runTraining(mlir::ModuleOp module,
                                            llvm::ArrayRef<NamedTensors> batches,
                                            const NamedTensors &parameters,
                                            const RunOptions &options = {});

} // namespace pcc::interpret
