// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints measured times of a step's sections next to predicted ones.
#pragma once

#include "tools/pcc/bench/MeasuredSteps.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Predictions of a step.
struct PredictedStep {
  StepTime step;
  CollectiveMeans collectives;
  /// NCCL's estimates of the collectives, if it gives any.
  CollectiveMeans estimates;
};

/// Prints a row for each section and one for the step, in milliseconds: the best step and the mean
/// of all steps, each with its exposed communication. With a prediction, also prints the predicted
/// times, their deviation from the best step, and a row for the collectives of each kind, ranks and
/// bytes, in microseconds. `predicted` may be null.
void printSteps(const MeasuredSteps &measured, const PredictedStep *predicted);

/// Returns the same in seconds.
llvm::json::Value toJson(const MeasuredSteps &measured, const PredictedStep *predicted);

} // namespace pcc::cli
