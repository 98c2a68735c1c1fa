// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the session, opens the data, checks outputs and metrics and reads the checkpoint before the
// first step, so that errors come early. Then it trains, saves, evaluates and writes the trace, in
// this order.

#include "runtime/execute/RunProgram.h"

#include "runtime/base/CatchExceptions.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/MatchModel.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/data/batches/CheckValues.h"
#include "runtime/execute/connect/OpenWorld.h"
#include "runtime/execute/monitor/Metrics.h"
#include "runtime/execute/monitor/files/AppendedFile.h"

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

/// Opens the dataset `name` from the RunConfig field that belongs to `flag`.
Expected<std::optional<Dataset>> openData(const char *flag, const std::string &name,
                                          const abi::Program &program, DataPurpose purpose,
                                          const abi::RunConfig &config) {
  constexpr std::string_view synthetic = "synthetic", withRows = "synthetic:";
  if (name.empty())
    return std::optional<Dataset>();
  int64_t rows = 1024;
  bool isSynthetic = name == synthetic || name.starts_with(withRows);
  if (isSynthetic && config.resize_images() > 0)
    return Status::badUsage(
        fmt::format("--resize-images: expected data of webdataset:PATHS, got '{}'", name));
  if (name.starts_with(withRows)) {
    std::string_view count = std::string_view(name).substr(withRows.size());
    auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), rows);
    int64_t most = maxSyntheticRows(program);
    if (error != std::errc() || end != count.data() + count.size() || rows < 1 || rows > most)
      return Status::badUsage(fmt::format(
          "{}: expected synthetic or synthetic:ROWS, 1 to {} rows, got '{}'", flag, most, name));
  } else if (!isSynthetic) {
    Expected<Dataset> data = openDataset(name, purpose, program, config.resize_images());
    return data ? Expected<std::optional<Dataset>>(std::move(*data)) : data.status();
  }
  return std::optional<Dataset>(makeSyntheticDataset(program, rows, config.seed()));
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
  auto training =
      openData("--data", trains ? config.data() : "", program, DataPurpose::Training, config);
  if (!training)
    return training.status();
  if (*training) {
    Expected<Augmentation> augmentation = Augmentation::parse(config.augment(), config.seed());
    Status status = augmentation ? augmentation->check(**training) : augmentation.status();
    if (!status.ok())
      return status;
  }
  auto evaluation = openData(trains ? "--eval-data" : "--data", toEvaluate, program,
                             DataPurpose::Evaluation, config);
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
  return {.capacity = config.trace().empty() ? 0 : shownEntries, .hasEach = true};
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
  options.finiteCheck.isOn = config.check_finite();
  if (config.on_nonfinite() != abi::ON_NONFINITE_STOP)
    options.finiteCheck.warn = options.warn;
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

/// Returns what tells whether the checkpoint has a parameter; null without a checkpoint.
static std::function<bool(const abi::Parameter &)>
makeIsStored(const std::shared_ptr<const ResumePoint> &point) {
  if (!point)
    return nullptr;
  return [point](const abi::Parameter &parameter) {
    return findStored(point->manifest, parameter) != nullptr;
  };
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

/// Does what follows the training: saves the parameters, and puts the metrics into the report.
static Status saveAndEvaluate(Session &session, const abi::RunConfig &config, const RunData &data,
                              const PeriodicEvaluation *evaluation, abi::RunReport &report) {
  if (!config.save().empty())
    if (Status status =
            session.saveParameters(config.save(), data.training && mustBeFinite(config));
        !status.ok())
      return status;
  return data.evaluation ? evaluateAtEnd(session, *data.evaluation, config, evaluation, report)
                         : Status();
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
  auto action = chooseOnNonfinite(config.on_nonfinite(), executable,
                                  !checkpoints.config.checkpoint().empty());
  if (!action)
    return action.status();
  config.set_on_nonfinite(*action);
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
  options->isSetLater = makeIsStored(*point);
  int64_t start = nowNanoseconds();
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
    auto trained = trainProgram(**session, *data, *point,
                                {.config = config,
                                 .checkpoints = checkpoints,
                                 .isFirst = launch.isFirst(),
                                 .out = out,
                                 .progressLine = progressLine,
                                 .warn = warn},
                                evaluation);
    if (!trained)
      return trained.status();
    report = std::move(*trained);
  }
  if (!report.has_stop_signal())
    if (Status status = saveAndEvaluate(**session, config, *data, evaluation.get(), report);
        !status.ok())
      return status;
  addMemory(**session, report);
  if (config.check_finite() && out)
    printLine(out, fmt::format("--check-finite took {:.2f} s of {:.2f} s",
                               (*session)->finiteCheckSeconds(),
                               double(nowNanoseconds() - start) / 1e9));
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
