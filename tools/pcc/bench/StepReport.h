// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times of a step's sections, and predicted ones beside them.
#pragma once

#include "tools/pcc/bench/MeasuredSteps.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// What is said of a step beforehand.
struct PredictedStep {
  StepTime step;
  CollectiveMeans collectives;
  /// What NCCL expects them to take, where it does.
  CollectiveMeans estimates;
};

/// A row for each section and one for the step, in milliseconds: the best step, of which how much
/// is exposed communication, the mean of all steps. With a prediction that as well, and how much it
/// is off from the best step, and a row for the collectives of each kind, ranks and bytes, in
/// microseconds. `predicted` may be null.
void printSteps(const MeasuredSteps &measured, const PredictedStep *predicted);

/// The same in seconds.
llvm::json::Value toJson(const MeasuredSteps &measured, const PredictedStep *predicted);

} // namespace pcc::cli
