// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc bench collectives: times collectives of local ranks next to the bound that copies set.
// pcc bench PROGRAM.pcx: times the sections of a training step next to their predictions.

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/CollectiveName.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/bench/CollectiveTimes.h"
#include "tools/pcc/bench/StepTimes.h"
#include "tools/pcc/calibrate/Calibration.h"
#include "tools/pcc/calibrate/RunTimer.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

constexpr int64_t maxRanks = 64;
/// Bounds the trace, which keeps the time of every instruction of every timed step.
constexpr int maxSteps = 1000;
/// Bounds of one rank's operand, in bytes: enough to divide among 64 ranks, and little enough for
/// 64 such operands.
constexpr int64_t minBytes = 1024, maxBytes = int64_t(1) << 28;

/// Parses "65536", "64K" or "32M"; K and M are powers of 1024. Returns false if the number is
/// malformed or out of bounds.
bool parseBytes(llvm::StringRef text, int64_t &bytes) {
  int64_t factor = text.consume_back("K") ? 1 << 10 : text.consume_back("M") ? 1 << 20 : 1;
  if (text.getAsInteger(10, bytes) || bytes < 1 || bytes > maxBytes / factor)
    return false;
  bytes *= factor;
  return bytes >= minBytes;
}

class BenchSubcommand : public Subcommand {
public:
  BenchSubcommand()
      : Subcommand("bench", "times collectives of local ranks, or the steps of a program"),
        subject(cl::Positional, cl::desc("collectives|PROGRAM.pcx"), cl::sub(command)),
        ranks("device-num", cl::desc("numbers of ranks (default: 2,4,8)"), cl::value_desc("n,..."),
              cl::CommaSeparated, cl::sub(command)),
        bytes("bytes", cl::desc("bytes of one rank's operand (default: 64K,1M,32M)"),
              cl::value_desc("n,..."), cl::CommaSeparated, cl::sub(command)),
        kinds("kind", cl::desc("collectives to time (default: all)"), cl::value_desc("name,..."),
              cl::CommaSeparated, cl::sub(command)),
        compare(
            "compare",
            cl::desc("also predict the step by the simulator: on '--cluster' or, without it, on "
                     "this machine, which is measured first"),
            cl::sub(command)),
        steps("steps", cl::desc("number of timed steps of a program (default: 20)"), cl::init(20),
              cl::value_desc("n"), cl::sub(command)),
        cluster(command),
        quick("quick", cl::desc("measure fewer and shorter runs"), cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    if (subject == "collectives")
      return runCollectives();
    if (llvm::StringRef(subject).ends_with(".pcx"))
      return runProgram();
    return fail(BadUsage, "expected 'collectives' or a program (.pcx), got '" + subject + "'");
  }

private:
  /// Rejects flags that do not apply to the benchmark; `instead` says what they expect.
  static ExitCode refuse(llvm::ArrayRef<std::reference_wrapper<const cl::Option>> flags,
                         llvm::StringRef instead) {
    for (const cl::Option &flag : flags)
      if (flag.getNumOccurrences())
        return fail(BadUsage, "'--" + flag.ArgStr + "': expected " + instead);
    return Success;
  }

  ExitCode runCollectives() const {
    if (ExitCode code = refuse({compare, steps}, "a program (.pcx), got 'collectives'"))
      return code;
    if (cluster.hasCluster())
      return fail(BadUsage, "'--cluster': expected a program (.pcx), got 'collectives'");
    CollectiveTimeOptions options;
    if (ExitCode code = read(options))
      return code;
    llvm::json::Array rows;
    std::vector<std::vector<std::string>> table = {timeColumns(options)};
    abi::Status status = timeCollectives(options, [&](const CollectiveTime &time) {
      table.push_back(timeRow(time));
      rows.push_back(toJson(time));
    });
    if (!status.ok())
      return fail(RunFailed, status.describe());
    if (format.isJson())
      printJson(
          llvm::json::Object{{"cores", int64_t(std::max(1u, std::thread::hardware_concurrency()))},
                             {"collectives", std::move(rows)}});
    else
      printColumns(table);
    return Success;
  }

  ExitCode runProgram() const {
    if (ExitCode code = refuse({ranks, bytes, kinds}, "'collectives', got a program"))
      return code;
    if (!compare && cluster.hasCluster())
      return fail(BadUsage, "'--cluster': expected together with '--compare'");
    if (steps < 1 || steps > maxSteps)
      return fail(BadUsage, llvm::formatv("'--steps': expected 1 to {0}, got {1}", maxSteps,
                                          steps.getValue()));
    auto program = abi::readExecutable(subject);
    if (!program)
      return fail(ExitCode(program.status().exitCode()), program.status().describe());
    std::optional<machine::UniformLink> links;
    if (ExitCode code = cluster.readLink(links))
      return code;
    PredictedStep predicted;
    if (compare)
      if (ExitCode code = predict(*program, links, predicted))
        return code;
    auto measured = measureSteps(std::move(*program), steps, links);
    if (!measured)
      return fail(ExitCode(measured.status().exitCode()), measured.status().describe());
    if (format.isJson())
      printJson(cli::toJson(*measured, compare ? &predicted : nullptr));
    else
      printSteps(*measured, compare ? &predicted : nullptr);
    return Success;
  }

  /// Simulates a step on the machine of '--cluster' or, without that flag, on this machine as
  /// measured now. The measured ranks have the same device and the same links as the program's
  /// ranks.
  ExitCode predict(const abi::Executable &program, const std::optional<machine::UniformLink> &links,
                   PredictedStep &predicted) const {
    int64_t count = abi::rankCount(program.mesh());
    std::optional<abi::Cluster> machine;
    if (ExitCode code = cluster.read(count, machine))
      return code;
    if (!cluster.hasCluster()) {
      Session session;
      RunTimer timer(session.context, count, links, quick ? 2 : 10, quick ? 0.002 : 0.02,
                     program.gpu_code().chip());
      mlir::FailureOr<abi::Cluster> own = calibrate(timer, quick);
      if (mlir::failed(own))
        return RunFailed;
      machine = *machine::complete(*own);
      if (links)
        machine::setLinks(*machine, *links);
    }
    auto step = simulate::simulate(program, *machine, {.tracksMemory = false});
    if (!step)
      return fail(BadInput, step.status().describe());
    predicted.step = timeSections(program, *step);
    predicted.collectives = predictCollectives(program, *step);
    if (links) // the ranks communicate over these links, not by NCCL
      return Success;
    auto estimates = estimateCollectives(program);
    if (!estimates)
      return fail(ExitCode(estimates.status().exitCode()), estimates.status().describe());
    predicted.estimates = std::move(*estimates);
    return Success;
  }

  ExitCode read(CollectiveTimeOptions &options) const {
    for (llvm::StringRef text : listOf(ranks, {"2", "4", "8"})) {
      int count = 0;
      if (text.getAsInteger(10, count) || count < 1 || count > maxRanks)
        return fail(BadUsage,
                    llvm::formatv("'--device-num': expected 1 to {0}, got '{1}'", maxRanks, text));
      options.ranks.push_back(count);
    }
    for (llvm::StringRef text : listOf(bytes, {"64K", "1M", "32M"}))
      if (!parseBytes(text, options.bytes.emplace_back()))
        return fail(BadUsage, "'--bytes': expected 1K to 256M, got '" + text + "'");
    for (llvm::StringRef text : kinds)
      if (ExitCode code = addKind(text, options.kinds))
        return code;
    if (kinds.empty())
      options.kinds.assign(timedKinds().begin(), timedKinds().end());
    if (quick) {
      options.rounds = 1;
      options.secondsPerRound = 0.001;
    }
    return cluster.readLink(options.link);
  }

  static std::vector<llvm::StringRef> listOf(const cl::list<std::string> &given,
                                             std::vector<llvm::StringRef> byDefault) {
    return given.empty() ? byDefault : std::vector<llvm::StringRef>(given.begin(), given.end());
  }

  static ExitCode addKind(llvm::StringRef text, std::vector<abi::CollectiveKind> &kinds) {
    std::vector<std::string> names;
    for (abi::CollectiveKind kind : timedKinds()) {
      names.push_back(abi::collectiveName(kind));
      if (text == names.back()) {
        kinds.push_back(kind);
        return Success;
      }
    }
    return fail(BadUsage,
                "'--kind': expected one of " + llvm::join(names, ", ") + ", got '" + text + "'");
  }

  cl::opt<std::string> subject;
  cl::list<std::string> ranks, bytes, kinds;
  cl::opt<bool> compare;
  cl::opt<int> steps;
  ClusterFlag cluster;
  cl::opt<bool> quick;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeBenchSubcommand() {
  return std::make_unique<BenchSubcommand>();
}
