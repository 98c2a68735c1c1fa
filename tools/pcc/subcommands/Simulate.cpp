// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc simulate: simulates a step of a program or model under a virtual clock or, with --schedule=…,
// a pipeline schedule alone.

#include "runtime/abi/RankExpression.h"
#include "runtime/check/Check.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/WriteTrace.h"
#include "tools/pcc/flags/CompileFlags.h"
#include "tools/pcc/report/SimulationReport.h"
#include "tools/pcc/subcommands/ScheduleSimulation.h"
#include "tools/pcc/subcommands/Subcommand.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class SimulateSubcommand : public Subcommand {
public:
  SimulateSubcommand()
      : Subcommand("simulate", "simulates a program, or a pipeline schedule alone"),
        compileFlags(command, ModelUse::Optional), schedule(command),
        trace("trace", cl::desc("output file of a Chrome trace of the step"),
              cl::value_desc("file"), cl::sub(command)),
        everyRank("every-rank", cl::desc("show every rank in the trace, not one of each class"),
                  cl::sub(command)),
        columns("columns", cl::desc("width of the timeline in characters (default: 100; 0: none)"),
                cl::init(100), cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    if (columns < 0)
      return fail(BadUsage, "'--columns': expected 0 or more, got " + llvm::Twine(columns));
    if (schedule.isGiven())
      return runSchedule();
    if (everyRank && trace.empty())
      return fail(BadUsage, "'--every-rank': expected together with '--trace'");
    if (compileFlags.getModel().path().empty())
      return fail(BadUsage, "expected a model, a program (.pcx) or '--schedule'");
    if (llvm::StringRef flag = schedule.givenFlag(); !flag.empty())
      return fail(BadUsage, "'--" + flag + "': expected '--schedule', got a " +
                                (compileFlags.isProgram() ? "program" : "model"));
    abi::Executable program;
    std::optional<abi::Cluster> cluster;
    if (ExitCode code =
            compileFlags.isProgram() ? readProgram(program, cluster) : compile(program, cluster))
      return code;
    return simulate(program, cluster);
  }

private:
  ExitCode runSchedule() const {
    llvm::StringRef flag =
        trace.getNumOccurrences() ? trace.ArgStr
        : everyRank.getNumOccurrences()
            ? everyRank.ArgStr
            : compileFlags.givenFlag({"pipeline_stages", "micro_batches", "virtual_stages"});
    if (!compileFlags.getModel().path().empty())
      return fail(BadUsage,
                  "'--schedule': expected no model, got '" + compileFlags.getModel().path() + "'");
    if (!flag.empty())
      return fail(BadUsage, "'--" + flag + "': expected a model or a program, got '--schedule'");
    abi::ParallelConfig config;
    if (ExitCode code = compileFlags.readParallel(config))
      return code;
    ScheduleCounts counts{config.pipeline_stages(), config.micro_batches(),
                          compileFlags.has("virtual_stages") ? config.virtual_stages() : 0};
    return schedule.run(counts, columns, format.isJson());
  }

  ExitCode readProgram(abi::Executable &program, std::optional<abi::Cluster> &cluster) const {
    if (ExitCode code = compileFlags.readProgram(program, {"cluster", "link"}))
      return code;
    abi::Status proof = check::prove(program);
    if (!proof.ok())
      return fail(BadInput, std::move(proof).within(compileFlags.getModel().path()).describe());
    return compileFlags.getCluster().read(abi::rankCount(program.mesh()), cluster);
  }

  /// Builds the instructions of a model's program, without code for its kernels.
  ExitCode compile(abi::Executable &program, std::optional<abi::Cluster> &cluster) const {
    CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    cluster = options.cluster;
    return compileFlags.buildRecords(options, program);
  }

  ExitCode simulate(const abi::Executable &program, std::optional<abi::Cluster> cluster) const {
    if (!cluster)
      cluster = *machine::parseCluster("", abi::rankCount(program.mesh()));
    abi::Expected<simulate::Simulation> step = simulate::simulate(program, *cluster);
    if (!step)
      return fail(BadInput, step.status().describe());
    if (!trace.empty()) {
      abi::Status written = simulate::writeTrace(program, *step, trace, everyRank);
      if (!written.ok())
        return fail(BadInput, written.describe());
    }
    if (format.isJson())
      printJson(toJson(program, *step));
    else
      printSimulation(program, *step, columns);
    return Success;
  }

  CompileFlags compileFlags;
  ScheduleFlags schedule;
  cl::opt<std::string> trace;
  cl::opt<bool> everyRank;
  cl::opt<int> columns;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeSimulateSubcommand() {
  return std::make_unique<SimulateSubcommand>();
}
