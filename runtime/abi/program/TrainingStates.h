// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the parameters that hold states of a training as a whole: not of one parameter, and not
// of the model. Each is a scalar and belongs to itself (Parameter.state_of), so files of weights
// leave it out. The update writes them (passes/autodiff/TrainingState.h), and runs report them.
#pragma once

#include <array>
#include <string_view>

namespace pcc::abi {

/// f32: learning rate of the latest step, if it depends on the step.
inline constexpr std::string_view learningRateState = "learning_rate";
/// f32: norm of all gradients together in the latest step.
inline constexpr std::string_view gradientNormState = "gradient_norm";
/// f32: share of the latest batch that counts in the loss, if the step runs in parts: of its
/// labels, or the mean of its weights.
inline constexpr std::string_view countedShareState = "counted_share";
/// f32: factor of the loss in the next step.
inline constexpr std::string_view lossScaleState = "loss_scale";
/// i64: steps since the loss scale changed.
inline constexpr std::string_view goodStepsState = "loss_scale.good_steps";
/// i64: steps without an update since training began.
inline constexpr std::string_view skippedStepsState = "skipped_steps";

/// A state that runs report.
struct ReportedState {
  std::string_view parameter;
  std::string_view metric; ///< name in records
};

inline constexpr std::array<ReportedState, 5> reportedStates = {
    {{learningRateState, "learning_rate"},
     {gradientNormState, "gradient_norm"},
     {countedShareState, "counted_share"},
     {lossScaleState, "loss_scale"},
     {skippedStepsState, "skipped_steps"}}};

/// Returns whether every step writes the state before anybody reads it, so that a training can
/// continue without its value.
inline bool isReportOnly(std::string_view parameter) {
  return parameter == learningRateState || parameter == gradientNormState ||
         parameter == countedShareState;
}

} // namespace pcc::abi
