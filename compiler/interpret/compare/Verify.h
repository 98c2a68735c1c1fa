// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of two modules of any two phases before task and any numbers of ranks, for
// `pcc verify A.mlir B.mlir`. Also makes the reference for comparison with other ways to run a
// program.
#pragma once

#include "compiler/interpret/compare/Compare.h"
#include "compiler/interpret/training/Inputs.h"

namespace pcc::interpret {

struct VerifyOptions {
  uint64_t seed = 1;
  /// Number of training steps to run if both modules have a step; at least 1.
  int64_t steps = 2;
  /// With `Double` both modules run in doubles and must agree almost to the last bit. This suits
  /// rewrites that are exact in real numbers and change no constant.
  Precision precision = Precision::Element;
  double factor = interpretedFactor;
  /// True if results of the first module may be NaN. Otherwise such a result fails.
  bool mayBeNaN = false;
  /// Factors by which the gradients of a module of several ranks are multiplied. The module of one
  /// rank gets them, in addition to the factors in the other module's attributes.
  GradientFactors gradientFactors;
  /// Keys of parameters that have a value of their own on each rank. Their updated values are not
  /// compared, and only one training step is compared.
  std::set<std::string> perRankParameters;
};

/// Returns the `layerwise_parallel` parameters of `module` and their states.
std::set<std::string> findPerRankParameters(mlir::ModuleOp module);

/// Compares public functions of the same name on seeded inputs, result by result. Compares the
/// training steps: the loss of every step, every gradient of the last step, and every updated
/// parameter. A function or step that only one module has is skipped. If nothing can be compared,
/// adds a failed case.
Report verifyModules(mlir::ModuleOp a, mlir::ModuleOp b, const VerifyOptions &options = {});

/// Runs function `name` of `module` on `arguments` as a reference for `compareNamed`. Reports
/// errors as diagnostics.
mlir::FailureOr<Reference> makeReference(mlir::ModuleOp module, llvm::StringRef name,
                                         const NamedTensors &arguments,
                                         const GradientFactors &factors = {});

/// Inputs and results of a training run, for comparison with a compiled program on the same inputs:
/// `compareTraining(reference, {losses, results, parameters}, factor)`.
struct TrainingReference {
  std::vector<NamedTensors> batches; ///< global, one for each step
  NamedTensors parameters;           ///< initial values
  TrainingResult values, doubles;
  Moved<TrainingResult> moved;
  std::set<std::string> perRankParameters; ///< not compared
  bool mayBeNaN = false;                   ///< a NaN is expected, and equals a NaN
};

/// Runs the training step of `module` on seeded inputs. Reports errors as diagnostics.
mlir::FailureOr<TrainingReference> makeTrainingReference(mlir::ModuleOp module,
                                                         const VerifyOptions &options = {});

/// Runs the training step on `batches`, one for each step, from `parameters`.
mlir::FailureOr<TrainingReference> makeTrainingReference(mlir::ModuleOp module,
                                                         std::vector<NamedTensors> batches,
                                                         NamedTensors parameters,
                                                         const VerifyOptions &options = {});

/// Compares a training run with the reference. Cases: `step 1 loss`, …, `gradient w` of the last
/// step, `updated parameter w`. The case of a parameter also fails if its update, the new value
/// less the old one, differs by half of itself or more.
Report compareTraining(const TrainingReference &reference, const TrainingResult &actual,
                       double factor, Precision precision = Precision::Element);

} // namespace pcc::interpret
