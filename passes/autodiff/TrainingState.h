// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a training as a whole, which belong to no parameter: scalars on the virtual stage of
// the loss, which @update takes and returns. The factor of all gradients uses and changes most of
// them.
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/autodiff/TrainingOptions.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace pcc::autodiff {

/// The states, in this order among the arguments and results of @update. The first three report
/// what a step did; no step reads them.
enum class TrainingState {
  Rate,         ///< learning rate of the latest step
  Norm,         ///< global norm of the gradients in the latest step, as they are without the scale
  CountedShare, ///< share of the latest batch that counts in the loss (AdaptLossToParts.cpp)
  Scale,        ///< of the loss
  GoodSteps,    ///< since the scale changed
  SkippedSteps  ///< since training began
};

/// Values of the states; those that do not exist are null.
using TrainingStateValues = llvm::SmallDenseMap<TrainingState, mlir::Value, 4>;

/// Returns whether a parameter is a state of the training, such as this pass room declares.
bool isTrainingState(graph::ParameterOp parameter);
/// Returns the result of `section` with the share of a part that counts in the loss, if the update
/// divides by it (AdaptLossToParts.cpp). It has the role of a gradient.
std::optional<unsigned> findCountedShare(mlir::func::FuncOp section);
/// Returns the virtual stage that computes the loss, the last one of `section`; 0 if it is not cut.
int64_t findLossStage(mlir::func::FuncOp section);
/// Name of the parameter that holds a state.
llvm::StringRef getStateName(TrainingState state);
/// Returns the states that an update with these options needs. `rateChanges`: the learning rate
/// depends on the step. `countsShare`: the loss and the gradients are divided in the update.
llvm::SmallVector<TrainingState> listTrainingStates(const GradientOptions &options,
                                                    bool rateChanges, bool countsShare);
/// Declares the parameter of a state in front of `before`. Error if its name is taken. It belongs
/// to the training and not to the model: files of weights leave it out.
mlir::FailureOr<graph::ParameterOp> declareTrainingState(mlir::Operation *before,
                                                         TrainingState state, double first,
                                                         int64_t virtualStage);

//===-- GradientScale.cpp ---------------------------------------------------------------------===//

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
