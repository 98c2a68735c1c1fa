// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor by which an update multiplies all gradients: it undoes a scaled loss, divides by the
// share of the batch that counts (AdaptLossToParts.cpp), and limits the global norm.
//
//   divisor = loss scale · counted share
//   norm    = sqrt(sum of the squares of all gradients) / |divisor|
//   factor  = min(1, clip norm / (norm + 1e-6)) / divisor
//
// The norm is over all parameters of all stages, each counted once. If the program is cut, every
// virtual stage sums its own squares. The sum goes from one virtual stage to the next; the last one
// computes the factor and sends it to the others. Source of the formula, with its 1e-6:
// torch.nn.utils.clip_grad_norm_.
//
// If a gradient is not finite and steps may be skipped, the factor is 0 and the step is skipped: no
// parameter and no state of an optimizer changes.
//
// A dynamic loss scale is a state of the training, held by the last virtual stage. A skipped step
// halves it. After `growthSteps` steps in a row without one it is doubled. The squares are those of
// the scaled gradients: a scaled norm above 1.8e19, whose square exceeds f32, counts as not finite.
// Source: Micikevicius et al.: Mixed precision training, ICLR 2018, section 3.2; the constants are
// those of torch.amp.GradScaler.
//
// The norm is a state, too, so that a run can report it.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/TrainingState.h"
#include <map>

namespace pcc::autodiff {

/// Number of steps in a row without a skipped one after which the loss scale grows.
inline constexpr int64_t growthSteps = 2000;

/// Builds the factor and the next state in @update.
class GradientScale {
public:
  /// Builds scalars of type `element`. `share` is the counted share of the batch, or null.
  GradientScale(mlir::ImplicitLocOpBuilder &builder, const GradientOptions &options,
                mlir::Type element, mlir::Value share, int64_t lossStage)
      : builder(builder), options(options), element(element), share(share), lossStage(lossStage) {}

  /// Counts the complete gradient of a parameter on `virtualStage`.
  void addGradient(mlir::Value gradient, int64_t virtualStage);

  /// Builds the factor and the next values of `states`. `step` is the number of the run, or null if
  /// the update does not take it.
  void build(const TrainingStateValues &states, mlir::Value step);

  /// Returns the factor on a virtual stage, a scalar; null if there is none.
  mlir::Value getFactor(int64_t virtualStage);
  /// Returns the number of steps that were not skipped, on a virtual stage.
  mlir::Value getStep(int64_t virtualStage);
  /// Returns the next value of a state.
  mlir::Value getNext(TrainingState state) const { return next.lookup(state); }

private:
  mlir::Value number(double value);
  mlir::Value integer(int64_t value);
  mlir::Value castTo(mlir::Value value, mlir::Type type);
  /// Returns 1 / divisor, on the last virtual stage.
  mlir::Value invertDivisor(const TrainingStateValues &states);
  /// Returns the sum of squares over all virtual stages, on the last one.
  mlir::Value sumStages();
  /// Returns `value`, which the last virtual stage has, on another one.
  mlir::Value send(mlir::Value value, int64_t virtualStage);
  void buildSkips(const TrainingStateValues &states, mlir::Value isFinite);
  void buildNextScale(const TrainingStateValues &states, mlir::Value isFinite);

  mlir::ImplicitLocOpBuilder &builder;
  const GradientOptions &options;
  mlir::Type element;
  mlir::Value share;
  int64_t lossStage;
  std::map<int64_t, mlir::Value> squares;        ///< by virtual stage
  mlir::Value factor, step;                      ///< on the last virtual stage
  std::map<int64_t, mlir::Value> factors, steps; ///< sent, by virtual stage
  TrainingStateValues next;
};

} // namespace pcc::autodiff
