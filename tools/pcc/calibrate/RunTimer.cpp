// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/calibrate/RunTimer.h"

#include "compiler/Pipeline.h"
#include "compiler/link/Link.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/execute/Session.h"
#include "tools/pcc/Output.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace pcc::cli {

/// Calls `write` with each index, with commas in between.
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

/// Starts collectives where they stand, to be waited for at the end.
static void startBeside(abi::Executable &executable) {
  abi::Program &program = *executable.mutable_programs(0);
  for (abi::Record &record : *program.mutable_sections(0)->mutable_records())
    if (record.has_collective()) {
      record.set_lane(abi::COMMUNICATION);
      record.add_signals(program.events());
      program.set_events(program.events() + 1);
    }
}

/// A GPU takes its records from the host one by one, or many as one graph, as in a step. So what is
/// short stands there so many times: else the host's calls would be timed.
constexpr int recordsOfGraph = 16;

/// Seconds in which the host makes many calls.
constexpr double isLong = 1e-3;

static bool hasCollective(const abi::Section &section) {
  return llvm::any_of(section.records(),
                      [](const abi::Record &record) { return record.has_collective(); });
}

/// Lists the records of the section over and over again; how often. What reads whose results is no
/// longer stated, for there a record has one number.
static int repeatRecords(abi::Section &section) {
  const abi::Section once = section;
  int times = (recordsOfGraph + once.records_size() - 1) / std::max(1, once.records_size());
  for (int i = 1; i < times; ++i)
    section.mutable_records()->MergeFrom(once.records());
  for (abi::Record &record : *section.mutable_records()) {
    record.clear_number();
    record.clear_reads();
    record.clear_reads_before();
  }
  return times;
}

static FailureOr<abi::Executable> compile(ModuleOp module, int64_t ranks,
                                          const std::string &gpuChip) {
  PipelineOptions options;
  options.parallel.set_device_num(static_cast<int32_t>(ranks));
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  options.gpuChip = gpuChip;
  if (failed(runPipeline(module, options, Stage::Llvm)))
    return failure();
  return link::linkProgram(module);
}

/// When the device came to two places, which it has left behind.
static runtime::Status readMarks(const runtime::Mark &first, const runtime::Mark &second,
                                 int64_t &begin, int64_t &end) {
  auto firstTime = first->time(), secondTime = second->time();
  if (!firstTime || !secondTime)
    return firstTime ? secondTime.status() : firstTime.status();
  begin = firstTime->value_or(begin);
  end = secondTime->value_or(end);
  return {};
}

namespace {
/// A program that is loaded, and its times so far.
struct Loaded {
  std::unique_ptr<runtime::Session> session;
  /// How often a run does what is timed, and how many runs are a round.
  int64_t times = 1, repeats = 1;
  double last = 0, best = std::numeric_limits<double>::infinity();

  /// `repeats` runs of every rank between two barriers, behind one that does not count, for other
  /// programs have had the caches. It takes from when the first rank begins, for of many on few
  /// cores some begin later, until the last one ends, by the clock of the device that runs them.
  runtime::Status runRound() {
    std::vector<int64_t> begins(session->ranks()), ends(session->ranks());
    runtime::Status status =
        session->onEveryRank([&](runtime::RankExecutor &rank) -> runtime::Status {
          if (runtime::Status status = rank.runSection(0); !status.ok())
            return status;
          if (runtime::Status status = rank.synchronise(); !status.ok())
            return status;
          if (runtime::Status status = rank.world().barrier(); !status.ok())
            return status;
          begins[rank.rank()] = runtime::nowNanoseconds();
          runtime::Mark begin = rank.device().mark();
          for (int64_t i = 0; i < repeats; ++i)
            if (runtime::Status status = rank.runSection(0); !status.ok())
              return status;
          runtime::Mark end = rank.device().mark();
          runtime::Status done = rank.synchronise(); // a GPU may only have been given it
          ends[rank.rank()] = runtime::nowNanoseconds();
          if (done.ok() && begin && end)
            done = readMarks(begin, end, begins[rank.rank()], ends[rank.rank()]);
          return done;
        });
    int64_t taken = *std::ranges::max_element(ends) - *std::ranges::min_element(begins);
    last = double(taken) * 1e-9 / double(repeats * times);
    return status;
  }
};
} // namespace

/// Loads a program; for a GPU one that is short so that it runs many times at once.
static runtime::Status load(abi::Executable executable, const std::optional<machine::Link> &link,
                            Loaded &loaded) {
  abi::Section &section = *executable.mutable_programs(0)->mutable_sections(0);
  bool mayRepeat = executable.has_gpu_code() && !hasCollective(section);
  auto open = [&]() -> runtime::Status {
    auto session = runtime::Session::load(executable, {.link = link});
    if (!session)
      return session.status();
    loaded.session = std::move(*session);
    return loaded.session->onEveryRank(
        [](runtime::RankExecutor &rank) { return rank.device().startMarking(); });
  };
  runtime::Status status = open();
  for (int warmUps = 0; mayRepeat && status.ok() && warmUps < 2; ++warmUps)
    status = loaded.runRound();
  if (!mayRepeat || !status.ok() || loaded.last > isLong)
    return status;
  loaded.times = repeatRecords(section);
  return loaded.times > 1 ? open() : status;
}

/// Finds how often a round repeats each program, then runs rounds of all in turns.
static runtime::Status measure(MutableArrayRef<Loaded> programs, int rounds,
                               double secondsPerRound) {
  for (Loaded &program : programs) {
    for (int warmUps = 0; warmUps < 3; ++warmUps)
      if (runtime::Status status = program.runRound(); !status.ok())
        return status;
    program.repeats = std::max<int64_t>(1, static_cast<int64_t>(secondsPerRound / program.last));
  }
  for (int round = 0; round < rounds; ++round)
    for (Loaded &program : programs) {
      if (runtime::Status status = program.runRound(); !status.ok())
        return status;
      program.best = std::min(program.best, program.last);
    }
  return {};
}

FailureOr<std::vector<double>> RunTimer::timeInTurns(ArrayRef<TimedProgram> programs, int rounds) {
  std::vector<Loaded> loaded;
  runtime::Status status;
  for (const TimedProgram &program : programs) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(makeText(ranks, program), &context);
    if (!module)
      return failure();
    FailureOr<abi::Executable> executable = compile(*module, ranks, gpuChip);
    if (failed(executable))
      return failure();
    if (program.isBeside)
      startBeside(*executable);
    status = load(std::move(*executable), link, loaded.emplace_back());
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
  for (const Loaded &program : loaded)
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
