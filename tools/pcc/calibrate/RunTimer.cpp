// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps the ops into a module of one function, compiles it, and runs its section in a session.
// Times are read from the device's clock if it has one. Rounds of several programs take turns, and
// the least mean of a program counts.
#include "tools/pcc/calibrate/RunTimer.h"

#include "compiler/search/CompileProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/execute/Session.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace pcc::cli {

using runtime::Status;
using runtime::TimestampHandle;

namespace {

/// Minimum number of instructions to form a GPU graph, for which the host spends little time on
/// each.
constexpr int instructionsPerGraph = 16;

/// Seconds of a run above which the time of the host's calls is negligible.
constexpr double longSeconds = 1e-3;

/// Trace entries that are kept to time collectives.
constexpr size_t maxTraced = 4096;

bool hasCollective(const abi::Section &section) {
  return std::ranges::any_of(section.instructions(), [](const abi::Instruction &instruction) {
    return instruction.has_collective();
  });
}

/// Repeats the instructions of the section, and returns how often. Clears their data dependencies,
/// which need unique instruction numbers.
int repeatInstructions(abi::Section &section) {
  const abi::Section once = section;
  int times =
      (instructionsPerGraph + once.instructions_size() - 1) / std::max(1, once.instructions_size());
  for (int i = 1; i < times; ++i)
    section.mutable_instructions()->MergeFrom(once.instructions());
  for (abi::Instruction &instruction : *section.mutable_instructions()) {
    instruction.clear_number();
    instruction.clear_reads();
    instruction.clear_reads_before();
  }
  return times;
}

/// Reads the times at which the device passed two marks.
Status readMarks(const TimestampHandle &first, const TimestampHandle &second, int64_t &begin,
                 int64_t &end) {
  auto firstTime = first->time(), secondTime = second->time();
  if (!firstTime || !secondTime)
    return firstTime ? secondTime.status() : firstTime.status();
  begin = firstTime->value_or(begin);
  end = secondTime->value_or(end);
  return {};
}

/// Returns the seconds of one rank's collectives, in order.
std::vector<double> collectivesOf(const std::vector<runtime::TraceEntry> &entries) {
  std::vector<double> seconds;
  for (const runtime::TraceEntry &entry : entries)
    if (entry.instruction->has_collective())
      seconds.push_back(double(entry.end - entry.begin) * 1e-9);
  return seconds;
}

/// A loaded program that is timed repeatedly. A GPU has its own clock, and takes instructions from
/// the host one by one, or many as one graph, as in a step. Two measures keep the host's calls out
/// of the times:
///
///   * a program of few short instructions repeats them many times, so that they form graphs
///   * of a collective only the time on its own stream counts, after work during which the host
///     runs ahead
class TimedRun {
public:
  /// `timesCollective`: see TimedProgram.
  explicit TimedRun(bool timesCollective) : timesCollective(timesCollective) {}

  runtime::Status load(abi::Executable executable, const std::optional<machine::UniformLink> &link);

  /// Runs the program `repeats` times on every rank after a barrier, and after one run that does
  /// not count, because other programs have used the caches. The time lasts from the start of the
  /// first rank to the end of the last one: with many ranks on few cores some start later. It is
  /// read from the clock of the device that runs them.
  runtime::Status run();

  int64_t repeats = 1;
  /// Seconds of one run of the latest round, and of its timed part. `best` is the least timed part,
  /// which the caller updates.
  double whole = 0, last = 0, best = std::numeric_limits<double>::infinity();

private:
  runtime::Status open(const abi::Executable &executable,
                       const std::optional<machine::UniformLink> &link);
  runtime::Status readCollectives();

  const bool timesCollective;
  std::unique_ptr<runtime::Session> session;
  bool isGpu = false;
  /// Number of times that one run executes the timed work.
  int64_t times = 1;
};

} // namespace

Status TimedRun::open(const abi::Executable &executable,
                      const std::optional<machine::UniformLink> &link) {
  runtime::SessionOptions options{.link = link};
  if (timesCollective && isGpu)
    options.trace.capacity = maxTraced;
  auto loaded = runtime::Session::load(executable, options);
  if (!loaded)
    return loaded.status();
  session = std::move(*loaded);
  return {};
}

Status TimedRun::load(abi::Executable executable, const std::optional<machine::UniformLink> &link) {
  isGpu = executable.has_gpu_code();
  abi::Section &section = *executable.mutable_programs(0)->mutable_sections(0);
  bool mayRepeat = isGpu && !hasCollective(section);
  Status status = open(executable, link);
  for (int warmUps = 0; mayRepeat && status.ok() && warmUps < 2; ++warmUps)
    status = run();
  if (!mayRepeat || !status.ok() || last > longSeconds)
    return status;
  times = repeatInstructions(section);
  return times > 1 ? open(executable, link) : status;
}

Status TimedRun::run() {
  std::vector<int64_t> begins(session->ranks()), ends(session->ranks());
  Status status = session->onEveryRank([&](runtime::RankExecutor &rank) -> Status {
    if (Status status = rank.device().startTimestamps(); !status.ok())
      return status;
    if (Status status = rank.runSection(0); !status.ok())
      return status;
    if (Status status = rank.synchronize(); !status.ok())
      return status;
    if (Status status = rank.world().barrier(); !status.ok())
      return status;
    begins[rank.rank()] = runtime::nowNanoseconds();
    TimestampHandle begin = rank.device().mark();
    for (int64_t i = 0; i < repeats; ++i)
      if (Status status = rank.runSection(0); !status.ok())
        return status;
    TimestampHandle end = rank.device().mark();
    Status done = rank.synchronize(); // a GPU may only have queued the work
    ends[rank.rank()] = runtime::nowNanoseconds();
    if (done.ok() && begin && end)
      done = readMarks(begin, end, begins[rank.rank()], ends[rank.rank()]);
    return done;
  });
  int64_t taken = *std::ranges::max_element(ends) - *std::ranges::min_element(begins);
  whole = double(taken) * 1e-9 / double(repeats);
  last = whole / double(times);
  return status.ok() && timesCollective && isGpu ? readCollectives() : status;
}

/// Sets `last` to the mean over the latest runs; of each run the rank that waited least for others
/// counts.
Status TimedRun::readCollectives() {
  auto traces = session->traces();
  if (!traces)
    return traces.status();
  std::vector<std::vector<double>> ofRanks;
  size_t runs = size_t(repeats);
  for (const std::vector<runtime::TraceEntry> &entries : *traces) {
    ofRanks.push_back(collectivesOf(entries));
    runs = std::min(runs, ofRanks.back().size());
  }
  double sum = 0;
  for (size_t i = 1; i <= runs; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::vector<double> &own : ofRanks)
      least = std::min(least, own[own.size() - i]);
    sum += least;
  }
  if (runs > 0)
    last = sum / double(runs);
  return {};
}

/// Joins the texts of `write` for each index with commas.
static std::string listOf(size_t count, function_ref<std::string(size_t)> write) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + write(i);
  return text;
}

static std::string makeText(int64_t ranks, const TimedProgram &program) {
  ArrayRef<std::string> arguments = program.arguments, results = program.results;
  std::string inputs = listOf(arguments.size(), [&](size_t i) {
    return llvm::formatv("%{0}: {1} {{graph.role = #graph.role<input \"x{0}\">}", i, arguments[i])
        .str();
  });
  std::string outputs = listOf(results.size(), [&](size_t i) {
    return llvm::formatv("{0} {{graph.role = #graph.role<output \"y{1}\">}", results[i], i).str();
  });
  return llvm::formatv("module attributes {{dist.mesh = #dist.mesh<r={0}>} {{\n"
                       "func.func @forward({1}) -> ({2}) attributes {{dist.local} {{\n{3}\n"
                       "return {4} : {5}\n}\n}\n",
                       ranks, inputs, outputs, program.ops,
                       listOf(results.size(), [](size_t i) { return "%y" + std::to_string(i); }),
                       listOf(results.size(), [&](size_t i) { return results[i]; }));
}

/// Puts collectives on the communication stream; they are waited for at the end.
static void startConcurrently(abi::Executable &executable) {
  abi::Program &program = *executable.mutable_programs(0);
  for (abi::Instruction &instruction : *program.mutable_sections(0)->mutable_instructions())
    if (instruction.has_collective()) {
      instruction.set_stream(abi::COMMUNICATION);
      instruction.add_signals(program.events());
      program.set_events(program.events() + 1);
    }
}

static FailureOr<abi::Executable> compileFor(ModuleOp module, int64_t ranks,
                                             const std::string &gpuChip) {
  CompileOptions options;
  options.parallel.set_device_num(static_cast<int32_t>(ranks));
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  options.gpuChip = gpuChip;
  return compile(module, options);
}

/// Finds how often a round repeats each program, then runs rounds of all programs in turns.
static runtime::Status measure(MutableArrayRef<TimedRun> programs, int rounds,
                               double secondsPerRound) {
  for (TimedRun &program : programs) {
    for (int warmUps = 0; warmUps < 3; ++warmUps)
      if (runtime::Status status = program.run(); !status.ok())
        return status;
    program.repeats = std::max<int64_t>(1, static_cast<int64_t>(secondsPerRound / program.whole));
  }
  for (int round = 0; round < rounds; ++round)
    for (TimedRun &program : programs) {
      if (runtime::Status status = program.run(); !status.ok())
        return status;
      program.best = std::min(program.best, program.last);
    }
  return {};
}

FailureOr<std::vector<double>> RunTimer::timeInTurns(ArrayRef<TimedProgram> programs, int rounds) {
  std::vector<TimedRun> loaded;
  runtime::Status status;
  for (const TimedProgram &program : programs) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(makeText(ranks, program), &context);
    if (!module)
      return failure();
    FailureOr<abi::Executable> executable = compileFor(*module, ranks, gpuChip);
    if (failed(executable))
      return failure();
    if (program.isConcurrent)
      startConcurrently(*executable);
    status = loaded.emplace_back(program.timesCollective).load(std::move(*executable), link);
    if (!status.ok())
      break;
  }
  if (status.ok())
    status = measure(loaded, rounds, secondsPerRound);
  if (!status.ok()) {
    fail(RunFailed, status.describe());
    return failure();
  }
  std::vector<double> times;
  for (const TimedRun &program : loaded)
    times.push_back(program.best);
  return times;
}

FailureOr<double> RunTimer::time(const TimedProgram &program) {
  auto times = timeInTurns(program, rounds);
  if (failed(times))
    return failure();
  return times->front();
}

} // namespace pcc::cli
