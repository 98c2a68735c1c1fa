// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The training loop.

#pragma once

#include "runtime/abi/config.pb.h"
#include "runtime/abi/report.pb.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/batches/Augmentation.h"
#include "runtime/execute/Evaluate.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/checkpoint/TrainingCheckpoints.h"
#include "runtime/execute/monitor/files/MetricRecord.h"

#include <atomic>
#include <cstdio>
#include <limits>
#include <string>

namespace pcc::runtime {

//===-- Nonfinite.cpp -------------------------------------------------------------------------===//

// The reaction of a training to losses and parameters that are infinite or not a number.

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

//===-- Train.cpp -----------------------------------------------------------------------------===//

struct TrainOptions {
  /// Maximum number of steps, with those before `resume`; 0: limited by epochs only.
  int64_t steps = 0;
  /// Passes over the data, with those before `resume`; 0: one, or as many as `steps` needs.
  int64_t epochs = 0;
  bool shuffle = false;
  uint64_t seed = 0;
  /// Changes of images.
  Augmentation augmentation = {};
  NonfiniteAction onNonfinite = NonfiniteAction::Stop;
  /// Steps between two comparisons of what several ranks hold (ReplicaCheck.h); 0: none.
  int64_t checkReplicasEvery = 0;
  /// Same as in MonitorOptions.
  int64_t logEvery = 0;
  std::string logDir = {};
  std::FILE *out = nullptr;
  std::FILE *terminal = nullptr;
  std::vector<std::shared_ptr<MetricSink>> sinks = {};
  /// Called by every rank between epochs, but not after the last one, while no rank executes a
  /// step. `epochs` is the number of finished epochs. An error ends the run.
  std::function<Status(RankExecutor &rank, int64_t epochs)> epochDone = {};
  /// Writes checkpoints; null: none are written.
  std::shared_ptr<TrainingCheckpoints> checkpoints = {};
  /// Evaluates the model between steps; null: it is not evaluated.
  std::shared_ptr<PeriodicEvaluation> evaluation = {};
  /// Checkpoint whose parameters the session has; null: training begins with the first step.
  std::shared_ptr<const ResumePoint> resume = {};
  /// Number of batches after that checkpoint that are left out.
  int64_t leftOut = 0;
};

/// Trains on whole batches; an epoch's incomplete last batch is dropped. Every rank reads its own
/// rows. The first process has the report. Errors: data that do not fit the inputs, values outside
/// an input's range, fewer rows than a batch; data in which training cannot continue; a loss that
/// is not finite, or replicas that differ (Failed).
Expected<abi::RunReport> train(Session &session, const Dataset &data, const TrainOptions &options);

} // namespace pcc::runtime
