// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reaction of a training to losses and parameters that are infinite or not a number.

#pragma once

#include "runtime/abi/config.pb.h"
#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include <atomic>
#include <limits>
#include <string>

namespace pcc::runtime {

/// The reaction to a loss, or a trained parameter for a checkpoint, that is not finite.
enum class NonfiniteAction {
  Stop,     ///< training fails
  Continue, ///< nothing
  RollBack  ///< training ends; its checkpoints, which it needs, have the step and where to go on
};

/// Returns the value of `--on-nonfinite`, or what AUTO stands for. BadUsage if the program cannot
/// skip steps, or if there are no checkpoints to go back to.
Expected<abi::OnNonfinite>
chooseOnNonfinite(abi::OnNonfinite given, const abi::Executable &executable, bool hasCheckpoints);

/// Returns what the training loop does. A program skips steps by itself.
NonfiniteAction actionOf(abi::OnNonfinite chosen);

/// Looks at the losses and parameters of one process. Any rank's thread may call it.
class NonfiniteWatch {
public:
  explicit NonfiniteWatch(NonfiniteAction action) : action(action) {}

  /// Reacts to a loss that is not finite, or looks at the rank's trained parameters, which are to
  /// be saved, after step number `step` (from 0). `position` names the step: "epoch: 1 step: 3".
  /// Failed if training stops.
  Status reactToLoss(int64_t rank, int64_t step, const std::string &position, double loss);
  Status checkParameters(RankExecutor &rank, int64_t step, const std::string &position);

  /// Returns whether the ranks must agree on going back.
  bool mayRollBack() const { return action == NonfiniteAction::RollBack; }
  /// Returns whether they go back: TrainingCheckpoints::rollsBack for all steps that were seen.
  Expected<bool> rollsBack(RankExecutor &rank, TrainingCheckpoints &checkpoints) const;

private:
  Status react(int64_t rank, int64_t step, const std::string &position,
               const std::string &expected);

  static constexpr int64_t noStep = std::numeric_limits<int64_t>::max();
  const NonfiniteAction action;
  std::atomic<int64_t> first = noStep; ///< step with numbers that are not finite
};

} // namespace pcc::runtime
