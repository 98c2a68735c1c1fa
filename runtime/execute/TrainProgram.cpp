// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the options of a run into those of its parts. A training that goes back to a checkpoint
// gets new ones.

#include "runtime/execute/RunProgram.h"

#include "runtime/execute/checkpoint/StopSignals.h"
#include "runtime/execute/monitor/Metrics.h"
#include "runtime/execute/monitor/ReplicaCheck.h"
#include "runtime/execute/monitor/files/MetricsFile.h"

#include <algorithm>
#include <functional>

namespace pcc::runtime {

bool mustBeFinite(const abi::RunConfig &config) {
  return config.on_nonfinite() != abi::ON_NONFINITE_CONTINUE;
}

void printLine(std::FILE *out, const std::string &line) {
  if (!out)
    return;
  fmt::print(out, "{}\n", line);
  std::fflush(out);
}

namespace {

//===--- Options of the parts --------------------------------------------===//

/// Returns the destinations of metrics; none unless this is the first process.
std::vector<std::shared_ptr<MetricSink>> makeSinks(const abi::RunConfig &config, bool isFirst,
                                                   const Tell &warn) {
  std::vector<std::shared_ptr<MetricSink>> sinks;
  if (isFirst && !config.metrics_file().empty())
    sinks.push_back(std::make_shared<MetricsFile>(config.metrics_file(), warn));
  if (isFirst && !config.tensorboard().empty())
    sinks.push_back(std::make_shared<EventFile>(config.tensorboard(), warn));
  return sinks;
}

TrainOptions trainOptionsOf(const abi::RunConfig &config, const Session &session, std::FILE *out,
                            bool progressLine) {
  std::function<Status(RankExecutor &, int64_t)> epochDone;
  if (!config.save().empty() && config.save_every() > 0)
    epochDone = [path = config.save(), every = config.save_every(),
                 mustBeFinite = mustBeFinite(config),
                 &session](RankExecutor &rank, int64_t epochs) {
      return epochs % every == 0 ? session.saveOnRank(rank, path, mustBeFinite) : Status();
    };
  return {.steps = config.steps(),
          .epochs = config.epochs(),
          .shuffle = config.shuffle(),
          .seed = config.seed(),
          .augmentation = *Augmentation::parse(config.augment(), config.seed()),
          .onNonfinite = actionOf(config.on_nonfinite()),
          .checkReplicasEvery = config.check_replicas(),
          .logEvery = config.log_every(),
          .logDir = config.log_dir(),
          .out = out,
          .terminal = progressLine ? stderr : nullptr,
          .epochDone = std::move(epochDone)};
}

/// Makes the evaluation between steps; null if there is none. Its metrics are those of the
/// evaluation after training, and the loss.
Expected<std::shared_ptr<PeriodicEvaluation>>
makeEvaluation(const abi::RunConfig &config, Session &session, const std::optional<Dataset> &data,
               const std::shared_ptr<const ResumePoint> &point) {
  if (config.eval_every().empty())
    return std::shared_ptr<PeriodicEvaluation>();
  auto every = parseEvaluationInterval(config.eval_every());
  auto metrics = chooseMetrics(session.program(), config.metrics());
  auto loss = chooseMetrics(session.program(), evaluatedLoss);
  if (!every || !metrics || !loss)
    return !every ? every.status() : !metrics ? metrics.status() : loss.status();
  if (std::ranges::none_of(*metrics,
                           [](const abi::Metric &own) { return own.name() == evaluatedLoss; }))
    metrics->push_back(loss->front());
  auto evaluator = Evaluator::make(session, *data, std::move(*metrics));
  if (!evaluator)
    return evaluator.status();
  abi::EvaluationState state = point ? point->manifest.evaluation() : abi::EvaluationState();
  return std::make_shared<PeriodicEvaluation>(*evaluator, *every, config.patience(), state);
}

/// Opens the folder of the run's checkpoints; null if none are written.
Expected<std::shared_ptr<TrainingCheckpoints>>
openCheckpoints(const RunCheckpoints &checkpoints, const abi::RunConfig &config,
                const Session &session, const std::shared_ptr<const ResumePoint> &point,
                const Tell &warn, std::FILE *out) {
  if (checkpoints.config.checkpoint().empty())
    return std::shared_ptr<TrainingCheckpoints>();
  Expected<CheckpointInterval> every =
      parseCheckpointInterval(checkpoints.config.checkpoint_every());
  if (!every)
    return every.status();
  TrainingCheckpointOptions options{
      .folder = checkpoints.config.checkpoint(),
      .every = *every,
      .keep = checkpoints.config.checkpoint_keep(),
      .waits = checkpoints.config.checkpoint_wait(),
      .pccVersion = checkpoints.pccVersion,
      .seed = config.seed(),
      .resumedFrom = point ? point->path : "",
      .written =
          [out](const std::string &path) { printLine(out, fmt::format("checkpoint: '{}'", path)); },
      .warn = warn};
  return TrainingCheckpoints::open(session.executable(), session.world(), std::move(options));
}

//===--- Going back ------------------------------------------------------===//

// Training goes back to a checkpoint when numbers are not finite, and leaves out the batches that
// led there:
//
//   step       1   …   40      41  42  43              41  42  …
//   batch      1   …   40      41  42  43 (NaN)        44  45  …
//   checkpoint         after 40           goes back ->
//
// A return is a training that ends early and another one that continues it, as after `--resume`:
// logs and records lose the steps that run again. All processes go the same way, since the ranks
// have agreed on the checkpoint.
//
// Source: Chowdhery et al.: PaLM, JMLR 24 (2023), section 5.1, where training restarts from a
// checkpoint before a spike of the loss and skips the batches around it.

/// Makes the options of a training that goes on at a checkpoint, or begins (null).
using MakeTrainOptions =
    std::function<Expected<TrainOptions>(const std::shared_ptr<const ResumePoint> &)>;

/// Returns to the same checkpoint before training fails.
constexpr int64_t maxReturns = 3;

/// Replaces the steps of `whole` from the first one of `part` on.
void append(abi::RunReport &whole, const abi::RunReport &part) {
  auto &steps = *whole.mutable_steps();
  while (part.steps_size() > 0 && !steps.empty() && steps.rbegin()->step() >= part.steps(0).step())
    steps.RemoveLast();
  steps.MergeFrom(part.steps());
  if (part.has_step_seconds())
    *whole.mutable_step_seconds() = part.step_seconds();
}

/// Reads the checkpoint that the ranks have agreed on, and sets the parameters to it.
Expected<std::shared_ptr<const ResumePoint>> goBack(Session &session, const std::string &path) {
  abi::CheckpointConfig config;
  config.set_resume(path);
  auto point = findResumePoint(config, session.executable(), [](const std::string &) {});
  if (!point)
    return point;
  Status status = session.onEveryRank(
      [point = *point](RankExecutor &rank) { return loadCheckpoint(rank, *point); });
  return status.ok() ? point : status;
}

/// Trains from `point`, whose parameters the session has, to the end. `tell` gets a line for each
/// return to a checkpoint. The report has the steps that count. Errors: those of train() and of
/// reading a checkpoint; no checkpoint to go back to; a fourth return to the same one.
Expected<abi::RunReport> trainWithRollback(Session &session, const Dataset &data,
                                           std::shared_ptr<const ResumePoint> point,
                                           const MakeTrainOptions &makeOptions, const Tell &tell) {
  abi::RunReport whole;
  int64_t returns = 0, leftOut = 0; // to and after the checkpoint `point`
  while (true) {
    Expected<TrainOptions> options = makeOptions(point);
    if (!options)
      return options.status();
    options->leftOut = leftOut;
    Expected<abi::RunReport> part = train(session, data, *options);
    if (!part)
      return part;
    append(whole, *part);
    std::optional<Rollback> rollback;
    if (options->checkpoints)
      rollback = options->checkpoints->takeRollback();
    if (!rollback)
      return whole;
    std::string place =
        fmt::format("step {}: expected a finite loss and finite parameters", rollback->step + 1);
    if (rollback->checkpoint.empty())
      return Status::failed(place + "; there is no checkpoint before it to go back to");
    bool isSame = point && point->path == rollback->checkpoint;
    returns = isSame ? returns + 1 : 1;
    if (returns > maxReturns)
      return Status::failed(fmt::format("{}, also after {} returns to the checkpoint '{}'", place,
                                        maxReturns, rollback->checkpoint));
    Expected<std::shared_ptr<const ResumePoint>> previous = goBack(session, rollback->checkpoint);
    if (!previous)
      return previous.status();
    point = std::move(*previous);
    int64_t batches = rollback->step + 1 - point->manifest.step();
    leftOut = isSame ? leftOut + batches : batches;
    tell(fmt::format("{}; training goes on after step {} from '{}' and leaves out {} batch{}",
                     place, point->manifest.step(), point->path, leftOut,
                     leftOut == 1 ? "" : "es"));
  }
}

//===--- The whole training ----------------------------------------------===//

/// Trains; a signal may end it if checkpoints are written.
Expected<abi::RunReport>
trainWithCheckpoints(Session &session, const Dataset &data,
                     const std::shared_ptr<TrainingCheckpoints> &checkpoints,
                     const std::shared_ptr<const ResumePoint> &point,
                     const MakeTrainOptions &makeOptions, const Tell &warn, std::FILE *out) {
  if (!checkpoints)
    return trainWithRollback(session, data, point, makeOptions, warn);
  StopSignals signals;
  Expected<abi::RunReport> report = trainWithRollback(session, data, point, makeOptions, warn);
  int signal = checkpoints->stopSignal();
  if (!report || signal == 0)
    return report;
  report->set_stop_signal(signal);
  printLine(out, fmt::format("stopped by {}; '--resume' continues",
                             signal == SIGTERM ? "SIGTERM" : "SIGINT"));
  return report;
}

} // namespace

Expected<abi::RunReport> trainProgram(Session &session, const RunData &data,
                                      const std::shared_ptr<const ResumePoint> &point,
                                      const TrainProgramOptions &options,
                                      std::shared_ptr<PeriodicEvaluation> &evaluation) {
  const abi::RunConfig &config = options.config;
  auto opened =
      openCheckpoints(options.checkpoints, config, session, point, options.warn, options.out);
  if (!opened)
    return opened.status();
  auto makeOptions = [&](const std::shared_ptr<const ResumePoint> &from) -> Expected<TrainOptions> {
    TrainOptions training = trainOptionsOf(config, session, options.out, options.progressLine);
    training.resume = from;
    training.sinks = makeSinks(config, options.isFirst, options.warn);
    training.checkpoints = *opened;
    auto made = makeEvaluation(config, session, data.evaluation, from);
    if (!made)
      return made.status();
    training.evaluation = evaluation = std::move(*made);
    return training;
  };
  if (config.check_replicas() > 0 && !ReplicaCheck(session.executable()).comparesAny())
    options.warn("--check-replicas: no two ranks hold the same parameter, so there is nothing to "
                 "compare");
  return trainWithCheckpoints(session, *data.training, *opened, point, makeOptions, options.warn,
                              options.out);
}

} // namespace pcc::runtime
