// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc-run: trains or evaluates a linked program on all its ranks. The ranks are threads of this
// process, or of the processes that mpirun, srun or torchrun started.

#include "runtime/abi/Limits.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/GoldenFile.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/base/CatchExceptions.h"
#include "runtime/execute/CompareGolden.h"
#include "runtime/execute/RunProgram.h"
#include "tools/pcc-run/Flags.h"
#include "tools/version/Version.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unistd.h>

namespace {

using namespace pcc;
using runtime::Expected;
using runtime::Status;

/// Exit code for results that differ from the golden results.
constexpr int mismatch = 4;

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

/// Values of the command line.
struct Options {
  std::string program, data, evalData, evalEvery, metrics, metricsFile, tensorboard, save, logDir,
      augment, trace, link, format = "text";
  std::string expected;
  abi::CheckpointConfig checkpoints;
  int64_t checkpointKeep = 0;
  bool checkpointWait = false;
  std::string communicator = "auto", reduction = "ordered", onNonfinite = "auto";
  int64_t deviceNum = 0, steps = 0, epochs = 0, saveEvery = 0, logEvery = 20, seed = 0, threads = 0;
  int64_t patience = 0, checkReplicas = 0, resizeImages = 0;
  double timeout = 0;
  bool checkInstructions = false, checkFinite = false;
  bool shuffle = false, quiet = false, help = false, version = false;

  bool isJson() const { return format == "json"; }
};

const std::map<std::string, abi::CommunicatorKind> &communicators() {
  static const std::map<std::string, abi::CommunicatorKind> kinds = {
      {"auto", abi::COMMUNICATOR_AUTO},
      {"local", abi::COMMUNICATOR_LOCAL},
      {"mpi", abi::COMMUNICATOR_MPI},
      {"nccl", abi::COMMUNICATOR_NCCL},
      {"store", abi::COMMUNICATOR_STORE}};
  return kinds;
}

const std::map<std::string, abi::ReductionOrder> &reductions() {
  static const std::map<std::string, abi::ReductionOrder> orders = {
      {"ordered", abi::REDUCTION_ORDERED}, {"library", abi::REDUCTION_LIBRARY}};
  return orders;
}

const std::map<std::string, abi::OnNonfinite> &nonfiniteActions() {
  static const std::map<std::string, abi::OnNonfinite> actions = {
      {"auto", abi::ON_NONFINITE_AUTO},
      {"stop", abi::ON_NONFINITE_STOP},
      {"continue", abi::ON_NONFINITE_CONTINUE},
      {"skip", abi::ON_NONFINITE_SKIP},
      {"rollback", abi::ON_NONFINITE_ROLLBACK}};
  return actions;
}

std::vector<tools::Flag> flagsOf(Options &options) {
  using tools::IntegerTarget;
  return {
      {"device-num", "number of ranks; must be that of the program",
       IntegerTarget{&options.deviceNum, 1, abi::maxRanks}},
      {"data",
       "training data: a folder of IDX or CIFAR files, IMAGES,LABELS, text:PATH, tokens:PATH, "
       "npy:PATH, webdataset:PATH or synthetic[:ROWS]",
       &options.data},
      {"eval-data", "evaluation data after training", &options.evalData},
      {"eval-every",
       "interval between evaluations during training: N, Nsteps or Nepochs (default: only after "
       "training)",
       &options.evalEvery},
      {"patience",
       "evaluations without a lower loss after which training ends (default: 0, no early end)",
       IntegerTarget{&options.patience, 0, unlimited}},
      {"expected", "golden results of 'pcc verify --record': only run and compare with them",
       &options.expected},
      {"metrics", "metrics to evaluate, separated by commas", &options.metrics},
      {"metrics-file", "output file of the metrics of each step: a line of JSON a step",
       &options.metricsFile},
      {"tensorboard", "folder for an event file of the same metrics, which TensorBoard reads",
       &options.tensorboard},
      {"save", "output .safetensors file of the parameters after training", &options.save},
      {"save-every", "epochs between writes of --save (default: 0, only at the end)",
       IntegerTarget{&options.saveEvery, 0, unlimited}},
      {"checkpoint", "folder for checkpoints of the training state",
       options.checkpoints.mutable_checkpoint()},
      {"checkpoint-every",
       "interval between checkpoints: N, Nsteps, Nepochs or Nmin (default: only at the end)",
       options.checkpoints.mutable_checkpoint_every()},
      {"checkpoint-keep", "number of latest checkpoints that stay (default: 0, all)",
       IntegerTarget{&options.checkpointKeep, 0, unlimited}},
      {"checkpoint-wait",
       "training waits until a checkpoint is written, and needs no copy of its state",
       &options.checkpointWait},
      {"resume",
       "checkpoint to continue from: latest in --checkpoint (without a value), a folder, or none",
       tools::OptionalText{options.checkpoints.mutable_resume(), "latest"}},
      {"steps", "maximum number of steps (default: no limit)",
       IntegerTarget{&options.steps, 1, unlimited}},
      {"epochs", "number of passes over the data", IntegerTarget{&options.epochs, 1, unlimited}},
      {"shuffle", "shuffle the rows in each epoch, by the seed", &options.shuffle},
      {"augment", "random changes of images in training: flip, crop=PIXELS or flip,crop=PIXELS",
       &options.augment},
      {"resize-images", "pixels of the shorter side of JPEG images, scaled and cut to the input",
       IntegerTarget{&options.resizeImages, 0, 65535}},
      {"log-every", "steps between loss lines (default: 20; 0: none)",
       IntegerTarget{&options.logEvery, 0, unlimited}},
      {"quiet", "print only results, warnings and errors", &options.quiet},
      {"log-dir", "folder for the logs of each rank", &options.logDir},
      {"time-out", "time limit of waiting for other ranks in seconds (default: 0, no limit)",
       &options.timeout},
      {"format", "output format: text (default) or json", &options.format},
      {"link", "emulated links between the ranks: RATE,LATENCY as in 10Gbps,20us", &options.link},
      {"trace", "output file of a Chrome trace of the latest instructions", &options.trace},
      {"communicator", "communicator of the ranks: auto (default), local, mpi, nccl, store",
       &options.communicator},
      {"reduction", "order of sums over mpi: ordered (default), library", &options.reduction},
      {"on-nonfinite",
       "action on an infinite or NaN loss or saved parameter: stop, continue, skip (the step), "
       "rollback (to a checkpoint), auto (default): skip if the program can, else stop",
       &options.onNonfinite},
      {"check-replicas",
       "steps between comparisons of the bits that several ranks hold (default: 0, none)",
       IntegerTarget{&options.checkReplicas, 0, unlimited}},
      {"check-finite", "name the op that computes the first NaN or infinity; slow",
       &options.checkFinite},
      {"seed", "random seed of initial values and data order (default: 0)",
       IntegerTarget{&options.seed, 0, unlimited}},
      {"threads", "threads of all ranks together (default: 0, one per core)",
       IntegerTarget{&options.threads, 0, 4096}},
      {"check-instructions", "wait for each instruction, so that a GPU error names it",
       &options.checkInstructions},
      {"check-records", nullptr, &options.checkInstructions},
      {"version", "print the version", &options.version},
      {"help", "print this help", &options.help},
  };
}

Status parse(int argc, char **argv, Options &options) {
  std::vector<tools::Flag> flags = flagsOf(options);
  auto files = tools::parseFlags(flags, {argv + 1, size_t(argc - 1)});
  if (!files)
    return files.status();
  if (options.help) {
    fmt::print("usage: pcc-run PROGRAM.pcx [flags]\n{}", tools::describeFlags(flags));
    return {};
  }
  if (options.version) {
    fmt::print("pcc-run {}\n", tools::version());
    return {};
  }
  if (files->size() != 1)
    return Status::badUsage(
        fmt::format("expected one program, got {}; --help lists the flags", files->size()));
  if (options.format != "text" && options.format != "json")
    return Status::badUsage(
        fmt::format("--format: expected text or json, got '{}'", options.format));
  if (!communicators().contains(options.communicator))
    return Status::badUsage(
        fmt::format("--communicator: expected auto, local, mpi, nccl or store, got '{}'",
                    options.communicator));
  if (!reductions().contains(options.reduction))
    return Status::badUsage(
        fmt::format("--reduction: expected ordered or library, got '{}'", options.reduction));
  if (!nonfiniteActions().contains(options.onNonfinite))
    return Status::badUsage(
        fmt::format("--on-nonfinite: expected auto, stop, continue, skip or rollback, got '{}'",
                    options.onNonfinite));
  const abi::CheckpointConfig &checkpoints = options.checkpoints;
  if (!options.expected.empty() &&
      !(options.data + options.evalData + options.save + options.metricsFile + options.tensorboard +
        options.link + options.trace + checkpoints.checkpoint() + checkpoints.resume())
           .empty())
    return Status::badUsage("--expected: cannot be combined with --data, --eval-data, --save, "
                            "--metrics-file, --tensorboard, --link, --trace, --checkpoint or "
                            "--resume");
  if (!options.expected.empty() && options.isJson())
    return Status::badUsage("--expected: expected --format=text, got json");
  options.program = files->front();
  options.checkpoints.set_checkpoint_keep(options.checkpointKeep);
  options.checkpoints.set_checkpoint_wait(options.checkpointWait);
  return runtime::checkCheckpointConfig(options.checkpoints);
}

abi::RunConfig configOf(const Options &options) {
  abi::RunConfig config;
  config.set_data(options.data);
  config.set_eval_data(options.evalData);
  config.set_metrics(options.metrics);
  config.set_metrics_file(options.metricsFile);
  config.set_tensorboard(options.tensorboard);
  config.set_eval_every(options.evalEvery);
  config.set_patience(options.patience);
  config.set_check_replicas(options.checkReplicas);
  config.set_check_finite(options.checkFinite);
  config.set_quiet(options.quiet);
  config.set_save(options.save);
  config.set_save_every(options.saveEvery);
  config.set_steps(options.steps);
  config.set_epochs(options.epochs);
  config.set_log_every(options.logEvery);
  config.set_log_dir(options.logDir);
  config.set_time_out(options.timeout);
  config.set_seed(uint64_t(options.seed));
  config.set_threads(int32_t(options.threads));
  config.set_shuffle(options.shuffle);
  config.set_augment(options.augment);
  config.set_resize_images(options.resizeImages);
  config.set_trace(options.trace);
  config.set_link(options.link);
  config.set_communicator(communicators().at(options.communicator));
  config.set_reduction(reductions().at(options.reduction));
  config.set_check_instructions(options.checkInstructions);
  config.set_on_nonfinite(nonfiniteActions().at(options.onNonfinite));
  return config;
}

/// Reads the program and checks its number of ranks against `--device-num`.
Expected<abi::Executable> readProgram(const Options &options) {
  Expected<abi::Executable> executable = abi::readExecutable(options.program);
  if (!executable)
    return executable;
  int64_t ranks = abi::rankCount(executable->mesh());
  if (options.deviceNum != 0 && options.deviceNum != ranks)
    return Status::badUsage(
        fmt::format("--device-num: expected {}, for which '{}' was compiled, got {}", ranks,
                    options.program, options.deviceNum));
  return executable;
}

/// Prints the report; returns whether all results are as expected.
bool report(const std::vector<runtime::ComparedResult> &results) {
  double worst = 0;
  size_t differ = 0;
  for (const runtime::ComparedResult &result : results) {
    worst = std::max(worst, result.usedTolerance());
    if (result.isExpected())
      continue;
    ++differ;
    fmt::print("{}: {}\n", result.name, result.reason);
  }
  if (differ)
    fmt::print("{} of {} results differ, the worst at {:.2f} of its tolerance\n", differ,
               results.size(), worst);
  else
    fmt::print("{} results as expected, the worst at {:.2f} of its tolerance\n", results.size(),
               worst);
  return differ == 0;
}

/// Runs the program on the inputs of the golden results in the file `path`. Prints a line for each
/// result that differs, then "61 results as expected, the worst at 0.31 of its tolerance" or "2 of
/// 61 results differ, …". Returns whether all results are as expected. Errors: as those of
/// readGoldenResults, Session::load and compareWithGolden.
Expected<bool> runExpected(abi::Executable executable, const std::string &path,
                           const runtime::SessionOptions &options) {
  auto golden = abi::readGoldenResults(path);
  if (!golden)
    return golden.status();
  auto session = runtime::Session::load(std::move(executable), options);
  if (!session)
    return session.status();
  auto results = runtime::compareWithGolden(**session, *golden);
  if (!results)
    return results.status().kind() == runtime::StatusKind::BadUsage
               ? Status::badInput(fmt::format("{}: does not fit the program: {}", path,
                                              results.status().message()))
               : results.status();
  return report(*results);
}

/// Compares the program's results with the golden results; sets the exit code if they differ.
Status compare(const Options &options, abi::Executable executable, const runtime::Launch &launch,
               int &exitCode) {
  if (!launch.isAlone())
    return Status::badUsage(fmt::format("--expected: expected all ranks in one process, got {} "
                                        "processes",
                                        launch.processes));
  runtime::SessionOptions session{.threads = int(options.threads),
                                  .timeout = options.timeout,
                                  .checksInstructions = options.checkInstructions,
                                  .requiresNccl = options.communicator == "nccl"};
  Expected<bool> isExpected = runExpected(std::move(executable), options.expected, session);
  if (isExpected && !*isExpected)
    exitCode = mismatch;
  return isExpected.status();
}

Status run(const Options &options, int &exitCode) {
  Expected<abi::Executable> executable = readProgram(options);
  if (!executable)
    return executable.status();
  bool isTerminal = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
  Expected<runtime::Launch> launch = runtime::readLaunch();
  if (!launch)
    return launch.status();
  if (!options.expected.empty())
    return compare(options, std::move(*executable), *launch, exitCode);
  Expected<abi::RunReport> report = runtime::runProgram(
      std::move(*executable), configOf(options), options.isJson() ? nullptr : stdout,
      isTerminal && !options.isJson(), *launch, {options.checkpoints, tools::version()});
  if (!report)
    return report.status();
  exitCode = runtime::exitCodeOf(*report);
  if (!launch->isFirst())
    return {};
  if (options.isJson())
    fmt::print("{}\n", runtime::toJson(*report));
  else
    for (const auto &[name, value] : runtime::sortedMetrics(*report))
      fmt::print("{}: {:.4f}\n", name, value);
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  Status status = runtime::catchExceptions([&] { // output to a full disk throws
    Status parsed = parse(argc, argv, options);
    return parsed.ok() && !options.help && !options.version ? run(options, exitCode) : parsed;
  });
  if (status.ok() && (std::fflush(stdout) != 0 || std::ferror(stdout)))
    status = Status::badInput("standard output: cannot write");
  if (!status.ok()) {
    std::fputs(fmt::format("pcc-run: error: {}\n", status.describe()).c_str(), stderr);
    exitCode = status.exitCode();
  }
  std::fflush(nullptr);
  // Exit without joining a rank that hangs.
  _exit(exitCode);
}
