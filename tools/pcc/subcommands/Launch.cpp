// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc launch: starts a training command as several processes of this machine, and starts it again
// from its latest checkpoint when one of them dies.

#include "runtime/abi/Limits.h"
#include "runtime/abi/checkpoint.pb.h"
#include "runtime/supervise/Backoff.h"
#include "runtime/supervise/Supervise.h"
#include "tools/pcc/flags/MessageFile.h"
#include "tools/pcc/flags/OptionsFile.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

constexpr int64_t maxRestarts = 1'000'000;
constexpr double maxGrace = 86400;

/// Returns the file of options that a command `pcc run` reads; empty: none.
std::string findOptionsFile(const std::vector<std::string> &command) {
  if (std::string file = pcc::runtime::valueOf(command, "--config"); !file.empty())
    return file;
  auto isRun = [](const std::string &argument) { return argument == "run"; };
  auto run = llvm::find_if(command, isRun);
  if (run == command.end() || ++run == command.end() || !isOptionsModel(*run))
    return "";
  return *run;
}

/// Sets `folder` to that of the command's checkpoints; empty: it writes none. An error of its file
/// of options is reported here already.
ExitCode findCheckpoints(const std::vector<std::string> &command, std::string &folder) {
  folder = pcc::runtime::valueOf(command, "--checkpoint");
  std::string file = findOptionsFile(command);
  if (!folder.empty() || file.empty())
    return Success;
  OptionsFile options;
  if (ExitCode code = options.read(file))
    return code;
  pcc::abi::CheckpointConfig config;
  options.fill(config);
  folder = config.checkpoint();
  return Success;
}

ExitCode checkSeconds(const char *flag, double seconds, double max) {
  if (seconds >= 0 && seconds <= max)
    return Success;
  return fail(BadUsage, llvm::formatv("'{0}': expected seconds from 0 to {1:f0}, got {2:f1}", flag,
                                      max, seconds));
}

class LaunchSubcommand : public Subcommand {
public:
  LaunchSubcommand()
      : Subcommand("launch", "starts a command as several processes, and again when one dies"),
        processes("n", cl::desc("number of processes (default: 1)"), cl::value_desc("number"),
                  cl::init(1), cl::sub(command)),
        restarts("restarts",
                 cl::desc("how often the processes start again from the latest checkpoint when one "
                          "has died (default: 0)"),
                 cl::value_desc("number"), cl::init(0), cl::sub(command)),
        grace("grace",
              cl::desc("seconds that the other processes get to end when one has died (default: "
                       "10)"),
              cl::value_desc("seconds"), cl::init(10), cl::sub(command)),
        backoff("backoff",
                cl::desc("seconds before a restart after a run that completed no checkpoint; they "
                         "double each time, up to 300 (default: 1)"),
                cl::value_desc("seconds"), cl::init(1), cl::sub(command)),
        program(cl::Positional, cl::desc("COMMAND"), cl::sub(command)),
        arguments(cl::ConsumeAfter, cl::desc("ARGUMENTS…"), cl::sub(command)) {}

  ExitCode run() override {
    if (processes < 1 || processes > pcc::abi::maxRanks)
      return fail(BadUsage, llvm::formatv("'-n': expected a number from 1 to {0}, got {1}",
                                          pcc::abi::maxRanks, processes.getValue()));
    if (restarts < 0 || restarts > maxRestarts)
      return fail(BadUsage, llvm::formatv("'--restarts': expected a number from 0 to {0}, got {1}",
                                          maxRestarts, restarts.getValue()));
    if (ExitCode code = checkSeconds("--grace", grace, maxGrace))
      return code;
    if (ExitCode code = checkSeconds("--backoff", backoff, pcc::runtime::Backoff::longest))
      return code;
    if (program.empty())
      return fail(BadUsage, "expected a command to start: 'pcc launch -n 8 pcc-run model.pcx …'");
    pcc::runtime::SuperviseOptions options{
        .command = {program},
        .processes = int(processes),
        .restarts = restarts,
        .grace = grace,
        .backoff = backoff,
        .tell = [](const std::string &text) { llvm::errs() << "pcc: launch: " << text << "\n"; }};
    llvm::append_range(options.command, arguments);
    if (restarts > 0)
      if (ExitCode code = findCheckpoints(options.command, options.checkpoints))
        return code;
    auto code = pcc::runtime::supervise(options);
    if (!code)
      return fail(ExitCode(code.status().exitCode()), code.status().describe());
    return ExitCode(*code);
  }

private:
  cl::opt<int64_t> processes, restarts;
  cl::opt<double> grace, backoff;
  cl::opt<std::string> program;
  cl::list<std::string> arguments;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeLaunchSubcommand() {
  return std::make_unique<LaunchSubcommand>();
}
