// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor by which an update multiplies all gradients: it undoes a scaled loss, divides by the
// counted share (AdaptLossToParts.cpp), and limits the global norm. The counted share is the
// fraction of labels that are not ignored (by weight, if the loss has weights).
//
//   divisor = loss scale · counted share
//   norm    = sqrt(sum of the squares of all gradients) / |divisor|
//   factor  = min(1, clip norm / (norm + 1e-6)) / divisor
//
// The norm takes |divisor|, as weights of labels may be negative, and so their share.
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
// Unlike torch's, the scale is not halved below `minLossScale`. After many skipped steps it would
// be 0. Its inverse would be infinite, and the product with gradients of 0 NaN.
//
// The norm is a state, too, so that a run can report it.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/TrainingState.h"
#include <map>

namespace pcc::autodiff {

/// Number of steps in a row without a skipped one after which the loss scale grows.
inline constexpr int64_t growthSteps = 2000;

/// Loss scale below which a skipped step does not halve it: the least normal number of f16. A loss
/// of f16 is thus scaled by a number of full precision.
inline constexpr double minLossScale = 1.0 / (1 << 14);

/// Builds the factor and the next state in @update.
class GradientScale {
public:
  /// Builds scalars of type `element`. `share` is the counted share, or null.
  GradientScale(mlir::ImplicitLocOpBuilder &builder, const GradientOptions &options,
                mlir::Type element, mlir::Value share, int64_t lossStage)
      : builder(builder), options(options), element(element), share(share), lossStage(lossStage) {}

  /// Adds the squares of a parameter's gradient (all copies added) to its virtual stage's sum.
  void addGradient(mlir::Value gradient, int64_t virtualStage);

  /// Builds the factor and the next values of `states`. `step` is the number of this step, counting
  /// skipped ones; null if the optimizer does not need it.
  void build(const TrainingStateValues &states, mlir::Value step);

  /// Returns the factor on a virtual stage, a scalar; null if there is none.
  mlir::Value getFactor(int64_t virtualStage);
  /// Returns the number of this step, not counting skipped ones, on a virtual stage; null if the
  /// optimizer does not need it.
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
