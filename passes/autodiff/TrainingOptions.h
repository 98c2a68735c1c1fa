// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user says about training, and the passes that follow from it.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace pcc::autodiff {

struct TrainingOptions {
  std::string loss;      ///< as in --loss; "" for a model with a loss of its own
  std::string optimizer; ///< as in --optimizer
  int64_t microBatches = 1;
  int64_t copies = 1;
  pipe::MicroReduction microReduction = pipe::MicroReduction::Sum;
  bool freezeBatchNorm = false; ///< batch norms of inference form keep their statistics
  bool wideGradients = true;    ///< of f16 and bf16 parameters: added over the ranks in f32
};

/// Parses --micro-reduction, in any case.
llvm::Expected<pipe::MicroReduction> parseMicroReduction(llvm::StringRef text);

/// What is wrong with the texts and numbers themselves, before there is a model.
llvm::Error checkTrainingOptions(const TrainingOptions &options);

/// From @forward to a loss: attaches it and separates training from evaluation.
void addLossPasses(mlir::OpPassManager &passes, const TrainingOptions &options);

/// From a loss to the step @train: differentiates, builds the update and the step.
void addGradientPasses(mlir::OpPassManager &passes, const TrainingOptions &options);

} // namespace pcc::autodiff
