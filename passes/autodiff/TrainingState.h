// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a training as a whole, which belong to no parameter: scalars on the virtual stage of
// the loss, which @update takes and returns.
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/TrainingOptions.h"
#include "llvm/ADT/DenseMap.h"

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

} // namespace pcc::autodiff
