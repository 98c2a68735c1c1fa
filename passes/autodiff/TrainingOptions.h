// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training options of the user, and the passes that follow from them.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace pcc::autodiff {

/// Options of the factor by which an update multiplies all gradients (GradientScale.cpp).
struct GradientOptions {
  std::optional<double> clipNorm; ///< limit of the global norm, above 0
  double lossScale = 1;           ///< factor of the loss for its gradients; initial one if dynamic
  bool isDynamic = false;         ///< the scale follows what the gradients can hold
  bool skipsNonfinite = false;    ///< gradients that are not finite skip the step

  /// Returns whether a step may be skipped: under a dynamic scale it always may.
  bool skips() const { return isDynamic || skipsNonfinite; }
  /// Returns whether the global norm of the gradients is needed.
  bool needsNorm() const { return clipNorm || skips(); }
  /// Returns whether the gradients are multiplied by anything.
  bool scales() const { return needsNorm() || lossScale != 1; }
};

struct TrainingOptions {
  std::string loss;      ///< as in --loss; "" for a model with a loss of its own
  std::string optimizer; ///< as in --optimizer
  int64_t microBatches = 1;
  int64_t copies = 1;
  pipe::MicroReduction microReduction = pipe::MicroReduction::Sum;
  std::string frozen = "";             ///< regular expression of parameters not to train; "": none
  bool freezeBatchNorm = false;        ///< batch norms exported in evaluation mode keep statistics
  bool wideGradients = true;           ///< of f16 and bf16 parameters: added over the ranks in f32
  std::optional<double> clipNorm = {}; ///< as in GradientOptions
  std::string lossScale = "";          ///< "dynamic", "dynamic:FIRST" or a number; "": 1
  bool skipNonfinite = false;          ///< as in GradientOptions
};

/// Parses `lossScale` (as in --loss-scale) and takes the other options of gradients. Errors name
/// the flags.
llvm::Expected<GradientOptions> parseGradientOptions(const TrainingOptions &options);

/// Checks the texts and numbers themselves, before there is a model.
llvm::Error checkTrainingOptions(const TrainingOptions &options);

/// Adds the passes from @forward to a loss: attach it and separate training from evaluation.
void addLossPasses(mlir::OpPassManager &passes, const TrainingOptions &options);

/// Adds the passes from a loss to the step @train: differentiate, build the update and the step.
void addGradientPasses(mlir::OpPassManager &passes, const TrainingOptions &options);

} // namespace pcc::autodiff
