// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc run: trains and evaluates a program, or a model that it compiles first. The ranks are local,
// or those of all processes that mpirun, srun or torchrun started.

#include "runtime/execute/RunProgram.h"
#include "tools/pcc/flags/MessageFlags.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "tools/version/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace abi = pcc::abi;
namespace cl = llvm::cl;

namespace {

constexpr double unlimited = 9e15;
constexpr double maxImageSide = 65535; // of JPEG

constexpr FieldInfo runFields[] = {
    {"data",
     "training data, or evaluation data without an optimizer: a folder of IDX or CIFAR files, "
     "IMAGES,LABELS, text:PATH, tokens:PATH, npy:PATH, webdataset:PATH or "
     "synthetic[:ROWS]"},
    {"eval_data", "evaluation data after training"},
    {"steps", "maximum number of steps (default: 0, no limit)", 0, unlimited},
    {"epochs", "number of passes over the data", 0, unlimited},
    {"log_every", "steps between loss lines (default: 20; 0: none)", 0, unlimited},
    {"log_dir", "folder for the logs of each rank"},
    {"time_out", "time limit of waiting for other ranks in seconds (default: 0, no limit)", 0,
     unlimited},
    {"seed", "random seed of initial values and data order (default: 0)"},
    {"threads", "threads of all ranks together (default: 0, one per core)", 0, 4096},
    {"shuffle", "shuffle the rows in each epoch"},
    {"augment", "random changes of images in training: flip, crop=PIXELS or flip,crop=PIXELS"},
    {"resize_images",
     "pixels of the shorter side of JPEG images, scaled and cut to the input (default: 0, images "
     "have its size)",
     0, maxImageSide},
    {"trace", "output file of a Chrome trace of the latest instructions"},
    {"metrics", "metrics to evaluate, separated by commas"},
    {"communicator",
     "communicator of the ranks: local, mpi, store, nccl, or auto (default): mpi or "
     "store with several processes, nccl between their GPUs"},
    {"reduction",
     "order of sums over mpi: ordered (default, like local ranks) or library (MPI's own)"},
    {"check_instructions", "wait for each instruction, so that a GPU error names it"},
    {"on_nonfinite",
     "action on an infinite or NaN loss or saved parameter: stop, continue, skip (the step), "
     "rollback (to a checkpoint), or auto (default): skip if the program can, else stop"},
    {"check_replicas",
     "steps between comparisons of the bits that several ranks hold (default: 0, none)", 0,
     unlimited},
    {"check_finite", "name the op that computes the first NaN or infinity; slow"},
    {"metrics_file", "output file of the metrics of each step: a line of JSON a step"},
    {"tensorboard", "folder for an event file of the same metrics, which TensorBoard reads"},
    {"eval_every",
     "interval between evaluations during training: N, Nsteps or Nepochs (default: only "
     "after training)"},
    {"patience",
     "evaluations without a lower loss after which training ends (default: 0, no early end)", 0,
     unlimited},
    {"quiet", "print only results, warnings and errors"},
    {"save", "output .safetensors file of the parameters after training"},
    {"save_every", "epochs between writes of '--save' (default: 0, only at the end)", 0, unlimited},
};

constexpr FieldInfo checkpointFields[] = {
    {"checkpoint", "folder for checkpoints of the training state"},
    {"checkpoint_every",
     "interval between checkpoints: N, Nsteps, Nepochs or Nmin (default: only at the end)"},
    {"checkpoint_keep", "number of latest checkpoints that stay (default: 0, all)", 0, unlimited},
    {"checkpoint_wait",
     "training waits until a checkpoint is written, and needs no copy of its state"},
    {"resume",
     "checkpoint to continue from: latest in '--checkpoint' (without a value), a folder, or none",
     0, 0, 0, "latest"},
};

/// Formats the last loss and the metrics: "loss is 0.0312, accuracy: 0.9461".
std::string summarize(const abi::RunReport &report) {
  std::string text;
  if (report.steps_size())
    text = llvm::formatv("loss is {0:f4}", report.steps(report.steps_size() - 1).loss());
  for (const auto &[name, value] : pcc::runtime::sortedMetrics(report))
    text += llvm::formatv("{0}{1}: {2:f4}", text.empty() ? "" : ", ", name, value);
  return text;
}

void printMetrics(const abi::RunReport &report) {
  for (const auto &[name, value] : pcc::runtime::sortedMetrics(report))
    llvm::outs() << llvm::formatv("{0}: {1:f4}\n", name, value);
  llvm::outs().flush();
}

class RunSubcommand : public ModelSubcommand {
public:
  RunSubcommand()
      : ModelSubcommand("run", "trains or evaluates a model or program on its ranks"),
        flags(command, abi::RunConfig::descriptor(), runFields, &compileFlags.getFile()),
        checkpointFlags(command, abi::CheckpointConfig::descriptor(), checkpointFields,
                        &compileFlags.getFile()),
        format(command),
        compareOneRank("compare-one-rank", cl::desc("also run on one rank and print its result"),
                       cl::sub(command)),
        printsConfig("print-config",
                     cl::desc("print all options as a file for '--config', and run nothing"),
                     cl::sub(command)) {}

  ExitCode runModel() override {
    if (compareOneRank && compileFlags.isProgram())
      return fail(BadUsage,
                  "'--compare-one-rank': expected a model, got a program, whose number of "
                  "ranks is fixed");
    auto found = pcc::runtime::readLaunch();
    if (!found)
      return fail(BadUsage, found.status().message());
    launch = *found;
    if (compareOneRank && !launch.isAlone())
      return fail(BadUsage, "'--compare-one-rank': expected one process, got " +
                                std::to_string(launch.processes));
    abi::RunConfig config;
    if (ExitCode code = readConfigs(config))
      return code;
    if (printsConfig)
      return printConfig(config);
    if (compareOneRank && !checkpoints.config.checkpoint().empty())
      return fail(BadUsage,
                  "'--compare-one-rank': cannot be combined with '--checkpoint': one rank "
                  "begins where all ranks began; '--resume=FOLDER' is possible");
    checkpoints.pccVersion = pcc::tools::version();
    if (auto status = pcc::runtime::checkCheckpointConfig(checkpoints.config); !status.ok())
      return fail(BadUsage, status.message());
    // Check output names before a long search. With several processes the run itself checks them.
    if (pcc::runtime::Status status = pcc::runtime::checkOutputs(config);
        launch.isAlone() && !status.ok())
      return fail(ExitCode(status.exitCode()), status.message());
    abi::Executable program;
    if (ExitCode code = compileFlags.isProgram() ? compileFlags.readProgram(program, {"link"})
                                                 : buildProgram(config, program))
      return code;
    abi::RunReport report;
    if (ExitCode code = execute(std::move(program), config, /*talks=*/!format.isJson(), report))
      return code;
    if (!launch.isFirst())
      return ExitCode(pcc::runtime::exitCodeOf(report));
    if (!format.isJson())
      printMetrics(report);
    if (compareOneRank && !report.has_stop_signal())
      if (ExitCode code = runOnOneRank(config, *report.mutable_one_rank()))
        return code;
    if (format.isJson())
      llvm::outs() << pcc::runtime::toJson(report) << "\n";
    else if (report.has_one_rank())
      llvm::outs() << "one rank: " << summarize(report.one_rank()) << "\n";
    llvm::outs().flush();
    return ExitCode(pcc::runtime::exitCodeOf(report));
  }

private:
  /// Reads the options of the run and of its checkpoints.
  ExitCode readConfigs(abi::RunConfig &config) {
    config.set_log_every(20);
    if (ExitCode code = flags.read(config))
      return code;
    if (ExitCode code = compileFlags.getCluster().readConfig(cluster))
      return code;
    config.set_link(cluster.link());
    return checkpointFlags.read(checkpoints.config);
  }

  /// Prints all options as a file that sets them.
  ExitCode printConfig(const abi::RunConfig &config) const {
    abi::ParallelConfig parallel;
    if (ExitCode code = compileFlags.readParallel(parallel))
      return code;
    llvm::outs() << formatOptions({&compileFlags.getModel().getConfig(), &compileFlags.getConfig(),
                                   &cluster, &parallel, &config, &checkpoints.config});
    llvm::outs().flush();
    return Success;
  }

  /// Reads the options of the compilation pipeline. If metrics are requested and neither training
  /// nor a loss, the labels are class numbers for the output.
  ExitCode readOptions(const abi::RunConfig &config, pcc::CompileOptions &options) const {
    ExitCode code = compileFlags.read(options);
    options.training.skipNonfinite |= config.on_nonfinite() == abi::ON_NONFINITE_SKIP;
    if (!options.trains() && options.evaluatedLoss.empty() && !config.metrics().empty())
      options.evaluatedLoss = "softmax_cross_entropy";
    return code;
  }

  ExitCode buildProgram(const abi::RunConfig &config, abi::Executable &program) {
    if (ExitCode code = readOptions(config, options))
      return code;
    return compileFlags.build(options, program, /*shows=*/launch.isFirst());
  }

  ExitCode execute(abi::Executable program, const abi::RunConfig &config, bool talks,
                   abi::RunReport &report) const {
    bool bar = talks && llvm::sys::Process::StandardErrIsDisplayed() &&
               llvm::sys::Process::StandardOutIsDisplayed();
    auto result = pcc::runtime::runProgram(std::move(program), config, talks ? stdout : nullptr,
                                           bar, launch, checkpoints);
    std::fflush(stdout);
    if (!result) {
      fail(Success, result.status().describe());
      // Exit without joining a rank that hangs.
      llvm::sys::Process::Exit(result.status().exitCode(), /*NoCleanup=*/true);
    }
    report = std::move(*result);
    return Success;
  }

  /// Compiles the model for one rank and runs it with the same options, without output.
  ExitCode runOnOneRank(const abi::RunConfig &config, abi::RunReport &report) {
    pcc::CompileOptions single = getSingleRankOptions(options);
    abi::Executable program;
    if (ExitCode code = compileFlags.build(single, program, /*shows=*/false))
      return code;
    abi::RunConfig quiet = config;
    quiet.clear_log_dir();
    quiet.clear_trace();
    quiet.clear_save();
    quiet.clear_metrics_file();
    quiet.clear_tensorboard();
    return execute(std::move(program), quiet, /*talks=*/false, report);
  }

  pcc::CompileOptions options; ///< of the program, with all choices made
  MessageFlags flags;
  MessageFlags checkpointFlags;
  abi::ClusterConfig cluster;
  pcc::runtime::RunCheckpoints checkpoints;
  FormatFlag format;
  cl::opt<bool> compareOneRank, printsConfig;
  pcc::runtime::Launch launch;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeRunSubcommand() {
  return std::make_unique<RunSubcommand>();
}
