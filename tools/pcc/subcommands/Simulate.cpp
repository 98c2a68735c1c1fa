// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc simulate: simulates a step of a program or model under a virtual clock or, with --schedule=…,
// a pipeline schedule alone.

#include "runtime/simulate/Simulate.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/check/Check.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"
#include "runtime/simulate/Peak.h"
#include "tools/pcc/report/SimulationReports.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "tools/pcc/subcommands/ScheduleSimulation.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

static BarKind kindOf(llvm::StringRef section) {
  if (section.starts_with("backward_weight"))
    return BarKind::BackwardWeight;
  if (section.starts_with("backward") || section.starts_with("forward_backward"))
    return BarKind::Backward;
  return section.starts_with("forward") ? BarKind::Forward : BarKind::Other;
}

static std::string nameOf(const abi::Executable &executable, const simulate::Timeline &timeline) {
  std::string ranks = simulate::nameOfRanks(timeline);
  if (executable.programs_size() == 1)
    return ranks;
  return "stage " + std::to_string(timeline.program) + ", " + ranks;
}

/// Returns the bars of stream COMPUTE by action. Instructions that follow one another without a gap
/// share a bar.
static std::vector<Bar> makeBars(const abi::Executable &executable,
                                 const simulate::Simulation &simulation,
                                 const simulate::Timeline &timeline) {
  std::vector<Bar> bars;
  const abi::Program &program = executable.programs(timeline.program);
  size_t run = 0;
  for (const abi::Action &action : simulation.actions[timeline.program]) {
    const abi::Section &section = program.sections(int(action.section()));
    char letter = letterOf(kindOf(section.name()), action.microbatch());
    bool isNewAction = true;
    for (const abi::Instruction &instruction : section.instructions()) {
      const simulate::Span &span = timeline.spans[run++];
      if (instruction.has_collective() || span.length() <= 0)
        continue;
      if (!isNewAction && bars.back().end == span.begin)
        bars.back().end = span.end;
      else
        bars.push_back({span.begin, span.end, letter});
      isNewAction = false;
    }
  }
  return bars;
}

/// Returns the share of bubbles in the time of all ranks.
static double bubbleShare(const simulate::Simulation &simulation) {
  double bubbles = 0, all = 0;
  for (const simulate::Timeline &timeline : simulation.timelines) {
    bubbles += timeline.seconds.bubble() * double(timeline.ranks.size());
    all += simulation.seconds * double(timeline.ranks.size());
  }
  return all > 0 ? bubbles / all : 0;
}

static void printTimes(llvm::ArrayRef<std::string> names, size_t widest,
                       const simulate::Simulation &simulation) {
  auto &os = llvm::outs();
  os << "\n" << llvm::left_justify("ms", widest);
  for (const char *head :
       {"compute", "transfer", "warm-up", "recv", "send", "collective", "drain", "hidden"})
    os << llvm::right_justify(head, 12);
  os << "\n";
  for (auto [name, timeline] : llvm::zip(names, simulation.timelines)) {
    const simulate::Seconds &seconds = timeline.seconds;
    os << llvm::left_justify(name, widest);
    for (double each : {seconds.compute, seconds.communication, seconds.warmUp, seconds.receive,
                        seconds.send, seconds.collective, seconds.drain})
      os << llvm::formatv("{0,12:f3}", each * 1e3);
    std::string hidden = "-";
    if (timeline.moving > 0)
      hidden = llvm::formatv("{0:f1} %", 100 * timeline.hidden / timeline.moving);
    os << llvm::right_justify(hidden, 12) << "\n";
  }
}

static void printMemory(llvm::ArrayRef<std::string> names, size_t widest,
                        const simulate::Simulation &simulation) {
  auto &os = llvm::outs();
  os << "\n" << llvm::left_justify("MB", widest);
  for (const char *head : {"held", "peak live", "planned"})
    os << llvm::right_justify(head, 12);
  os << "\n";
  for (auto [name, timeline] : llvm::zip(names, simulation.timelines)) {
    os << llvm::left_justify(name, widest);
    const simulate::Memory &memory = timeline.memory;
    for (uint64_t bytes : {memory.held, memory.peakLive, memory.planned})
      os << llvm::formatv("{0,12:f3}", double(bytes) / 1e6);
    os << "\n";
  }
}

/// Prints the memory of the class that needs most, over time and at its peak.
static void printFullest(const abi::Executable &executable, llvm::ArrayRef<std::string> names,
                         const simulate::Simulation &simulation, int columns) {
  const simulate::Timeline &fullest = simulate::findPeakTimeline(simulation);
  if (columns) {
    llvm::outs() << "\n          MB  " << names[&fullest - simulation.timelines.data()] << "\n";
    printMemoryProfile(llvm::outs(), fullest.memory, simulation.seconds, columns);
  }
  printPeak(llvm::outs(), executable, simulation, fullest);
}

/// Returns the share of the peak of all devices that the work of the model takes in the step; 0 if
/// the program trains nothing.
static double computeUtilization(const abi::Executable &executable, const abi::Cluster &cluster,
                                 const simulate::Simulation &simulation) {
  double peak = machine::peakSeconds(cluster.device(), abi::rankCount(executable.mesh()),
                                     executable.model_flops());
  return simulation.seconds > 0 ? peak / simulation.seconds : 0;
}

/// Prints the work of the model in a step, and the share of the devices' peak that it takes.
static void printUtilization(const abi::Executable &executable, double utilization) {
  double flops = 0;
  for (const abi::ModelFlops &entry : executable.model_flops())
    flops += entry.flops();
  if (utilization == 0)
    return;
  const char *unit = "GFLOP";
  double size = 1e9;
  for (const char *larger : {"TFLOP", "PFLOP"})
    if (flops >= 1e3 * size) {
      unit = larger;
      size *= 1e3;
    }
  llvm::outs() << llvm::formatv("model: {0:f3} {1} a step, MFU {2:f1} %\n", flops / size, unit,
                                100 * utilization);
}

/// Prints the timeline, `columns` wide (0: none), a table of milliseconds by activity, a table of
/// megabytes, and lines on the step. For the ranks that need most memory, also prints their memory
/// over time and what fills it at the peak.
static void printSimulation(const abi::Executable &executable,
                            const simulate::Simulation &simulation, double utilization,
                            int columns) {
  std::vector<GanttRow> rows;
  std::vector<std::string> names;
  size_t widest = 0;
  for (const simulate::Timeline &timeline : simulation.timelines) {
    names.push_back(nameOf(executable, timeline));
    widest = std::max(widest, names.back().size());
    rows.push_back({names.back(), makeBars(executable, simulation, timeline)});
  }
  if (columns)
    printGantt(llvm::outs(), rows, simulation.seconds, columns);
  printTimes(names, widest, simulation);
  printMemory(names, widest, simulation);
  printFullest(executable, names, simulation, columns);
  int64_t ranks = abi::rankCount(executable.mesh());
  llvm::outs() << llvm::formatv(
      "\n{0}: {1:f3} ms on {2} rank{3}, {4:f1} % bubbles; last to finish: {5}\n",
      simulation.execution, simulation.seconds * 1e3, ranks, ranks == 1 ? "" : "s",
      100 * bubbleShare(simulation), nameOf(executable, simulation.longest()));
  printUtilization(executable, utilization);
  llvm::outs().flush();
}

/// Returns `{"episode", "seconds", "ranks", "bubble_share", "mfu", "classes": [{"stage", "ranks":
/// […], "seconds": {"compute", "slowed", "communication", "warm_up", "receive", "send",
/// "collective", "drain"}, "moving", "hidden", "bytes": {"held", "peak_live", "planned"}, "live":
/// [[seconds, bytes]], "at_peak": [{"op", "section", "microbatch", "copy", "bytes"}]}]}`, in
/// seconds.
static json::Value toJson(const abi::Executable &executable, const simulate::Simulation &simulation,
                          double utilization) {
  json::Array classes;
  for (const simulate::Timeline &timeline : simulation.timelines) {
    const simulate::Seconds &seconds = timeline.seconds;
    const simulate::Memory &memory = timeline.memory;
    classes.push_back(
        json::Object{{"stage", timeline.program},
                     {"ranks", json::Array(timeline.ranks)},
                     {"seconds", json::Object{{"compute", seconds.compute},
                                              {"slowed", seconds.slowed},
                                              {"communication", seconds.communication},
                                              {"warm_up", seconds.warmUp},
                                              {"receive", seconds.receive},
                                              {"send", seconds.send},
                                              {"collective", seconds.collective},
                                              {"drain", seconds.drain}}},
                     {"moving", timeline.moving},
                     {"hidden", timeline.hidden},
                     {"bytes", json::Object{{"held", int64_t(memory.held)},
                                            {"peak_live", int64_t(memory.peakLive)},
                                            {"planned", int64_t(memory.planned)}}},
                     {"live", levelsToJson(memory)},
                     {"at_peak", peakToJson(executable, simulation, timeline)}});
  }
  return json::Object{{"episode", simulation.execution},
                      {"seconds", simulation.seconds},
                      {"ranks", abi::rankCount(executable.mesh())},
                      {"bubble_share", bubbleShare(simulation)},
                      {"mfu", utilization},
                      {"classes", std::move(classes)}};
}

namespace {

class SimulateSubcommand : public ModelSubcommand {
public:
  SimulateSubcommand()
      : ModelSubcommand("simulate", "simulates a program, or a pipeline schedule alone",
                        ModelUse::Optional),
        schedule(command), trace("trace", cl::desc("output file of a Chrome trace of the step"),
                                 cl::value_desc("file"), cl::sub(command)),
        everyRank("every-rank", cl::desc("show every rank in the trace, not one of each class"),
                  cl::sub(command)),
        columns("columns", cl::desc("width of the timeline in characters (default: 100; 0: none)"),
                cl::init(100), cl::sub(command)),
        format(command) {}

  ExitCode runModel() override {
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
            : compileFlags.findGiven({"pipeline_stages", "micro_batches", "virtual_stages"});
    if (!compileFlags.getModel().path().empty())
      return fail(BadUsage,
                  "'--schedule': expected no model, got '" + compileFlags.getModel().path() + "'");
    if (!flag.empty())
      return compileFlags.refuse(flag, "expected a model or a program, got '--schedule'");
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
    return compileFlags.buildInstructions(options, program);
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
    double utilization = computeUtilization(program, *cluster, *step);
    if (format.isJson())
      printJson(toJson(program, *step, utilization));
    else
      printSimulation(program, *step, utilization, columns);
    return Success;
  }

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
