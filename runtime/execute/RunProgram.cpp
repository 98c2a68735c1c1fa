// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the session, opens the data, checks outputs and metrics and reads the checkpoint before the
// first step, so that errors come early. Then it trains, saves, evaluates and writes the trace, in
// this order.

#include "runtime/execute/RunProgram.h"

#include "runtime/base/CatchExceptions.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/data/CheckValues.h"
#include "runtime/execute/checkpoint/StopSignals.h"
#include "runtime/execute/connect/OpenWorld.h"
#include "runtime/execute/monitor/EventFile.h"
#include "runtime/execute/monitor/Metrics.h"
#include "runtime/execute/monitor/MetricsFile.h"

#include <algorithm>
#include <charconv>
#include <google/protobuf/util/json_util.h>
#include <optional>
#include <unistd.h>

namespace pcc::runtime {
namespace {

/// Returns the number of synthetic rows that fill half of this machine's memory.
int64_t maxSyntheticRows(const abi::Program &program) {
  int64_t half = int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE)) / 2;
  int64_t rowBytes = std::max<int64_t>(1, makeSyntheticDataset(program, 1, 0).bytes());
  return std::max<int64_t>(1, half / rowBytes);
}

/// The datasets that a run reads, if any.
struct RunData {
  std::optional<Dataset> training, evaluation;
};

/// Opens the dataset `name` from the RunConfig field that belongs to `flag`.
Expected<std::optional<Dataset>> openData(const char *flag, const std::string &name,
                                          const abi::Program &program, DataPurpose purpose,
                                          uint64_t seed) {
  constexpr std::string_view synthetic = "synthetic", withRows = "synthetic:";
  if (name.empty())
    return std::optional<Dataset>();
  int64_t rows = 1024;
  if (name.starts_with(withRows)) {
    std::string_view count = std::string_view(name).substr(withRows.size());
    auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), rows);
    int64_t most = maxSyntheticRows(program);
    if (error != std::errc() || end != count.data() + count.size() || rows < 1 || rows > most)
      return Status::badUsage(fmt::format(
          "{}: expected synthetic or synthetic:ROWS, 1 to {} rows, got '{}'", flag, most, name));
  } else if (name != synthetic) {
    Expected<Dataset> data = openDataset(name, purpose, program);
    return data ? Expected<std::optional<Dataset>>(std::move(*data)) : data.status();
  }
  return std::optional<Dataset>(makeSyntheticDataset(program, rows, seed));
}

/// Opens all datasets and checks all requested outputs and metrics before anything runs: an error
/// should not come after hours. A program without a training step evaluates `data`, unless
/// `eval_data` is given.
Expected<RunData> openDatasets(const abi::RunConfig &config, Session &session,
                               const Launch &launch) {
  LocalWork work = session.atWork("reads data");
  const abi::Program &program = session.program();
  bool trains = program.actions_size() != 0 || !config.eval_data().empty();
  const std::string &toEvaluate = trains ? config.eval_data() : config.data();
  if (Status status = checkOutputs(config, launch); !status.ok())
    return status;
  if (!toEvaluate.empty())
    if (Status status = chooseMetrics(program, config.metrics()).status(); !status.ok())
      return status;
  auto training = openData("--data", trains ? config.data() : "", program, DataPurpose::Training,
                           config.seed());
  if (!training)
    return training.status();
  auto evaluation = openData(trains ? "--eval-data" : "--data", toEvaluate, program,
                             DataPurpose::Evaluation, config.seed());
  if (!evaluation)
    return evaluation.status();
  if (*training && *evaluation) // report errors of the second dataset before training
    if (Status status = bindCheckedFields(**evaluation, program, DataPurpose::Evaluation).status();
        !status.ok())
      return status;
  return RunData{std::move(*training), std::move(*evaluation)};
}

/// Returns options for as many trace entries per rank as a viewer shows at once, one for each
/// instruction.
TraceOptions traceOptionsOf(const abi::RunConfig &config) {
  constexpr size_t shown = 4096;
  return {.capacity = config.trace().empty() ? 0 : shown, .hasEach = true};
}

/// Returns the options of the session. An error of the link names its flag.
Expected<SessionOptions> sessionOptionsOf(const abi::RunConfig &config) {
  SessionOptions options{
      .seed = config.seed(),
      .threads = config.threads(),
      .timeout = config.time_out(),
      .trace = traceOptionsOf(config),
      .checksInstructions = config.check_instructions(),
      .requiresNccl = config.communicator() == abi::COMMUNICATOR_NCCL,
      .warn = [](const std::string &text) { fmt::print(stderr, "warning: {}\n", text); }};
  if (config.link().empty())
    return options;
  Expected<machine::UniformLink> link = machine::parseLink(config.link());
  if (!link)
    return Status::badUsage(fmt::format("'--link': {}", link.status().message()));
  options.link = *link;
  return options;
}

/// Returns the trace file of this process: "trace.json", "trace.1.json", …
std::string tracePath(const std::string &path, int process) {
  size_t slash = path.rfind('/'), dot = path.rfind('.');
  bool hasEnd = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  size_t stem = hasEnd ? dot : path.size();
  return process == 0 ? path
                      : fmt::format("{}.{}{}", path.substr(0, stem), process, path.substr(stem));
}

/// Writes the trace of this process's ranks, if one was asked for.
Status writeTraces(Session &session, const abi::RunConfig &config, const Launch &launch) {
  if (config.trace().empty())
    return {};
  LocalWork work = session.atWork("writes its trace");
  auto traces = session.traces();
  return traces ? writeChromeTrace(tracePath(config.trace(), launch.process), *traces,
                                   session.world().firstRank())
                : traces.status();
}

bool stopsNonFinite(const abi::RunConfig &config) {
  return config.non_finite() == abi::NON_FINITE_STOP;
}

/// Returns the destinations of metrics; none unless this is the first process.
std::vector<std::shared_ptr<MetricSink>> makeSinks(const abi::RunConfig &config,
                                                   const Launch &launch, const Tell &warn) {
  std::vector<std::shared_ptr<MetricSink>> sinks;
  if (launch.isFirst() && !config.metrics_file().empty())
    sinks.push_back(std::make_shared<MetricsFile>(config.metrics_file(), warn));
  if (launch.isFirst() && !config.tensorboard().empty())
    sinks.push_back(std::make_shared<EventFile>(config.tensorboard(), warn));
  return sinks;
}

TrainOptions trainOptionsOf(const abi::RunConfig &config, const Session &session, std::FILE *out,
                            bool progressLine) {
  std::function<Status(RankExecutor &, int64_t)> epochDone;
  if (!config.save().empty() && config.save_every() > 0)
    epochDone = [path = config.save(), every = config.save_every(),
                 mustBeFinite = stopsNonFinite(config),
                 &session](RankExecutor &rank, int64_t epochs) {
      return epochs % every == 0 ? session.saveOnRank(rank, path, mustBeFinite) : Status();
    };
  return {.steps = config.steps(),
          .epochs = config.epochs(),
          .shuffle = config.shuffle(),
          .seed = config.seed(),
          .allowsNonFiniteLoss = !stopsNonFinite(config),
          .logEvery = config.log_every(),
          .logDir = config.log_dir(),
          .out = out,
          .terminal = progressLine ? stderr : nullptr,
          .epochDone = std::move(epochDone)};
}

void addMemory(const Session &session, abi::RunReport &report) {
  std::vector<MemoryUse> uses = session.memoryUse();
  for (size_t rank = 0; rank < uses.size(); ++rank) {
    abi::RankBytes &bytes = *report.add_memory();
    bytes.set_rank(uint32_t(session.world().firstRank() + int64_t(rank)));
    bytes.set_allocated(double(uses[rank].allocated));
    bytes.set_peak_live(double(uses[rank].peakLive));
  }
}

} // namespace

Status checkOutputs(const abi::RunConfig &config, const Launch &launch) {
  if (launch.isFirst() && !config.save().empty())
    if (Status status = checkSavePath(config.save()); !status.ok())
      return status;
  if (launch.isFirst() && !config.metrics_file().empty())
    if (Status status = checkAppendedPath("--metrics-file", config.metrics_file()); !status.ok())
      return status;
  return config.trace().empty()
             ? Status()
             : checkOutputPath("--trace", tracePath(config.trace(), launch.process));
}

/// Lets the seed and the order of the data be those of the checkpoint, so that training goes on as
/// it would have. Evaluation alone keeps its own.
static abi::RunConfig configOfResumed(abi::RunConfig config, const ResumePoint &point,
                                      const Tell &warn) {
  if (!point.manifest.has_data())
    return config;
  const abi::DataPosition &data = point.manifest.data();
  if (config.seed() != data.seed())
    warn(fmt::format("--seed: training goes on with seed {} of the checkpoint, not {}", data.seed(),
                     config.seed()));
  if (config.shuffle() != data.shuffle())
    warn(fmt::format("--shuffle: training goes on with {} rows, as in the checkpoint",
                     data.shuffle() ? "shuffled" : "unshuffled"));
  config.set_seed(data.seed());
  config.set_shuffle(data.shuffle());
  return config;
}

/// Prints a line at once, for whoever reads a log; null: nowhere.
static void printLine(std::FILE *out, const std::string &line) {
  if (!out)
    return;
  fmt::print(out, "{}\n", line);
  std::fflush(out);
}

/// Sets the parameters of a session to those of the checkpoint.
static Status resume(Session &session, const std::shared_ptr<const ResumePoint> &point,
                     std::FILE *out) {
  Status status =
      session.onEveryRank([point](RankExecutor &rank) { return loadCheckpoint(rank, *point); });
  if (status.ok())
    printLine(out,
              fmt::format("resumed after step {} from '{}'", point->manifest.step(), point->path));
  return status;
}

/// Makes the evaluation between steps; null if there is none. Its metrics are those of the
/// evaluation after training, and the loss.
static Expected<std::shared_ptr<PeriodicEvaluation>>
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
static Expected<std::shared_ptr<TrainingCheckpoints>>
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

/// Trains; a signal may end it if checkpoints are written.
static Expected<abi::RunReport> trainWithCheckpoints(Session &session, const Dataset &data,
                                                     const TrainOptions &options, std::FILE *out) {
  if (!options.checkpoints)
    return train(session, data, options);
  StopSignals signals;
  Expected<abi::RunReport> report = train(session, data, options);
  int signal = options.checkpoints->stopSignal();
  if (!report || signal == 0)
    return report;
  report->set_stop_signal(signal);
  printLine(out, fmt::format("stopped by {}; '--resume' continues",
                             signal == SIGTERM ? "SIGTERM" : "SIGINT"));
  return report;
}

/// Puts the metrics after training into the report. Training has them if it ran any step and
/// evaluated its model: it does so after the last step.
static Status evaluateAtEnd(Session &session, const Dataset &data, const abi::RunConfig &config,
                            const PeriodicEvaluation *evaluation, abi::RunReport &report) {
  if (evaluation && report.steps_size() > 0) {
    report.mutable_metrics()->insert(evaluation->values().begin(), evaluation->values().end());
    return {};
  }
  auto metrics = evaluate(session, data, config.metrics());
  if (!metrics)
    return metrics.status();
  report.mutable_metrics()->insert(metrics->begin(), metrics->end());
  return {};
}

/// Checks the options of evaluations during training. BadUsage names the flag.
static Status checkEvaluationConfig(const abi::RunConfig &config) {
  if (config.eval_every().empty())
    return config.patience() == 0
               ? Status()
               : Status::badUsage("--patience: expected '--eval-every=INTERVAL' as well, got none");
  if (config.data().empty() || config.eval_data().empty())
    return Status::badUsage(
        fmt::format("--eval-every: expected '{}' as well, got none",
                    config.data().empty() ? "--data=DATA" : "--eval-data=DATA"));
  return parseEvaluationInterval(config.eval_every()).status();
}

static Expected<abi::RunReport> runProgramOrThrow(abi::Executable executable,
                                                  const abi::RunConfig &given, std::FILE *out,
                                                  bool progressLine, const Launch &launch,
                                                  const RunCheckpoints &checkpoints) {
  if (given.data().empty() && given.eval_data().empty())
    return Status::badUsage("expected --data, --eval-data or both");
  if (Status status = checkCheckpointConfig(checkpoints.config); !status.ok())
    return status;
  if (Status status = checkEvaluationConfig(given); !status.ok())
    return status;
  Tell warn = [isFirst = launch.isFirst()](const std::string &text) {
    if (isFirst)
      fmt::print(stderr, "warning: {}\n", text);
  };
  auto point = findResumePoint(checkpoints.config, executable, warn);
  if (!point)
    return point.status();
  bool trains = !given.data().empty() && executable.programs(0).actions_size() != 0;
  abi::RunConfig config = *point && trains ? configOfResumed(given, **point, warn) : given;
  Expected<SessionOptions> options = sessionOptionsOf(config);
  if (!options)
    return options.status();
  auto world = openWorld(executable, config, launch, options->warn);
  if (!world)
    return world.status();
  options->world = *world;
  options->threads = *world ? threadsOf(config, launch) : config.threads();
  if (!launch.isFirst() || config.quiet()) {
    out = nullptr;
    progressLine = false;
  }
  auto session = Session::load(std::move(executable), *options);
  if (!session)
    return session.status();

  Expected<RunData> data = openDatasets(config, **session, launch);
  if (!data)
    return data.status();

  if (*point)
    if (Status status = resume(**session, *point, out); !status.ok())
      return status;
  abi::RunReport report;
  std::shared_ptr<PeriodicEvaluation> evaluation;
  if (data->training) {
    TrainOptions training = trainOptionsOf(config, **session, out, progressLine);
    training.resume = *point;
    training.sinks = makeSinks(config, launch, warn);
    auto opened = openCheckpoints(checkpoints, config, **session, *point, warn, out);
    auto made = makeEvaluation(config, **session, data->evaluation, *point);
    if (!opened || !made)
      return opened ? made.status() : opened.status();
    training.checkpoints = std::move(*opened);
    training.evaluation = evaluation = std::move(*made);
    auto trained = trainWithCheckpoints(**session, *data->training, training, out);
    if (!trained)
      return trained.status();
    report = std::move(*trained);
  }
  bool isStopped = report.has_stop_signal();
  if (!config.save().empty() && !isStopped)
    if (Status status =
            (*session)->saveParameters(config.save(), data->training && stopsNonFinite(config));
        !status.ok())
      return status;
  if (data->evaluation && !isStopped)
    if (Status status =
            evaluateAtEnd(**session, *data->evaluation, config, evaluation.get(), report);
        !status.ok())
      return status;
  addMemory(**session, report);
  if (Status status = writeTraces(**session, config, launch); !status.ok())
    return status;
  Status status = (*session)->finish();
  if (status.ok() && *world)
    status = (*world)->close();
  if (!status.ok())
    return status;
  return report;
}

Status checkCheckpointConfig(const abi::CheckpointConfig &config) {
  if (config.checkpoint().empty() && !config.checkpoint_every().empty())
    return Status::badUsage("--checkpoint-every: expected '--checkpoint=FOLDER' as well, got none");
  if (config.checkpoint().empty() && config.checkpoint_keep() != 0)
    return Status::badUsage("--checkpoint-keep: expected '--checkpoint=FOLDER' as well, got none");
  return parseCheckpointInterval(config.checkpoint_every()).status();
}

int exitCodeOf(const abi::RunReport &report) {
  constexpr int firstOfSignals = 128; // as a shell reports a process that a signal ended
  return report.has_stop_signal() ? firstOfSignals + report.stop_signal() : 0;
}

Expected<abi::RunReport> runProgram(abi::Executable executable, const abi::RunConfig &config,
                                    std::FILE *out, bool progressLine, const Launch &launch,
                                    const RunCheckpoints &checkpoints) {
  std::optional<Expected<abi::RunReport>> report;
  Status status = catchExceptions([&] {
    report.emplace(
        runProgramOrThrow(std::move(executable), config, out, progressLine, launch, checkpoints));
    return Status();
  });
  if (status.ok())
    return std::move(*report);
  return std::move(status).within(fmt::format("process {}", launch.process));
}

std::map<std::string, double> sortedMetrics(const abi::RunReport &report) {
  return {report.metrics().begin(), report.metrics().end()};
}

std::string toJson(const abi::RunReport &report) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(report, &text,
                                                    options); // JSON can express every field
  return text;
}

} // namespace pcc::runtime
