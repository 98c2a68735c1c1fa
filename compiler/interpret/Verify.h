// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc verify A.mlir B.mlir`: do two modules, of any two stages before task and any numbers of
// ranks, compute the same? And the reference that other ways to run a program are held against.
#pragma once

#include "compiler/interpret/Compare.h"
#include "compiler/interpret/Inputs.h"

namespace pcc::interpret {

struct VerifyOptions {
  uint64_t seed = 1;
  /// Training steps to run where both modules have a step; at least 1.
  int64_t steps = 2;
  /// With `Double` both modules run in doubles and must agree almost to the last bit: for rewrites
  /// that are exact in real numbers and change no constant.
  Precision precision = Precision::Element;
  double factor = interpretedFactor;
  /// What the gradients of a module of several ranks are multiplied by. They are applied to the
  /// module of one rank, in addition to those which the other module's attributes name.
  GradientFactors gradientFactors;
  /// Keys of parameters of which each of several ranks has its own, unlike one rank: what is new of
  /// them is not compared, nor is more than one training step.
  std::set<std::string> ownParameters;
};

/// The `layerwise_parallel` parameters of `module` and their states.
std::set<std::string> findOwnParameters(mlir::ModuleOp module);

/// Compares public functions of the same name on seeded inputs, result by result, and the training
/// steps: the loss of every step, every gradient of the last and every updated parameter. A
/// function or step that only one module has is skipped; nothing to compare at all is a failed
/// case.
Report verifyModules(mlir::ModuleOp a, mlir::ModuleOp b, const VerifyOptions &options = {});

/// What function `name` of `module` computes on `arguments`, for comparison with another way to run
/// it (`compareNamed`). Errors are diagnostics.
mlir::FailureOr<Reference> makeReference(mlir::ModuleOp module, llvm::StringRef name,
                                         const NamedTensors &arguments,
                                         const GradientFactors &factors = {});

/// Inputs of a training run and what it computes, for comparison with a compiled program that is
/// run on the same inputs: `compareTraining(reference, {losses, results, parameters}, factor)`.
struct TrainingReference {
  std::vector<NamedTensors> batches; ///< global, one for each step
  NamedTensors parameters;           ///< at the beginning
  TrainingResult values, doubles;
  Moved<TrainingResult> moved;
  std::set<std::string> ownParameters; ///< not compared
};

/// Runs the training step of `module` on seeded inputs. Errors are diagnostics.
mlir::FailureOr<TrainingReference> makeTrainingReference(mlir::ModuleOp module,
                                                         const VerifyOptions &options = {});

/// The same on these batches, one for each step, from these parameters.
mlir::FailureOr<TrainingReference> makeTrainingReference(mlir::ModuleOp module,
                                                         std::vector<NamedTensors> batches,
                                                         NamedTensors parameters,
                                                         const VerifyOptions &options = {});

/// Cases `step 1 loss`, …, `gradient w` of the last step, `updated parameter w`.
Report compareTraining(const TrainingReference &reference, const TrainingResult &actual,
                       double factor, Precision precision = Precision::Element);

} // namespace pcc::interpret
