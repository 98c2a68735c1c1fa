// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The training loop.

#pragma once

#include "runtime/abi/report.pb.h"
#include "runtime/data/Dataset.h"
#include "runtime/data/batches/Augmentation.h"
#include "runtime/execute/Nonfinite.h"
#include "runtime/execute/PeriodicEvaluation.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/checkpoint/ResumePoint.h"
#include "runtime/execute/checkpoint/TrainingCheckpoints.h"
#include "runtime/execute/monitor/files/MetricRecord.h"

#include <cstdio>

namespace pcc::runtime {

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
