// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/calibrate/RunTimer.h"

#include "compiler/Pipeline.h"
#include "compiler/link/Link.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/execute/Session.h"
#include "tools/pcc/Output.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace mlir;

namespace pcc::cli {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls `write` with each index, with commas in between.
static std::string listOf(size_t count, function_ref<std::string(size_t)> write) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + write(i);
  return text;
}

static std::string makeText(int64_t ranks, ArrayRef<std::string> arguments, StringRef ops,
                            ArrayRef<std::string> results) {
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
                       ranks, inputs, outputs, ops,
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

static FailureOr<abi::Executable> compile(ModuleOp module, int64_t ranks) {
  PipelineOptions options;
  options.parallel.set_device_num(static_cast<int32_t>(ranks));
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  if (failed(runPipeline(module, options, Stage::Llvm)))
    return failure();
  return link::linkProgram(module);
}

namespace {
/// What the ranks of one measurement share.
struct Rounds {
  int rounds;
  double secondsPerRound;
  int64_t repeats = 1;
  double best = std::numeric_limits<double>::infinity();

  /// `repeats` runs of a rank between two barriers; seconds of one.
  runtime::Expected<double> runOnce(runtime::RankExecutor &rank) const {
    if (runtime::Status status = rank.world().barrier(); !status.ok())
      return status;
    auto start = Clock::now();
    for (int64_t i = 0; i < repeats; ++i)
      if (runtime::Status status = rank.runSection(0); !status.ok())
        return status;
    if (runtime::Status status = rank.world().barrier(); !status.ok())
      return status;
    return secondsSince(start) / static_cast<double>(repeats);
  }
};
} // namespace

/// Rank 0 finds how often a round repeats the run, then all run their rounds.
static runtime::Status measure(runtime::Session &session, Rounds &rounds) {
  auto onAll = [&](auto update) {
    return session.onEveryRank([&](runtime::RankExecutor &rank) -> runtime::Status {
      runtime::Expected<double> seconds = rounds.runOnce(rank);
      if (!seconds)
        return seconds.status();
      if (rank.rank() == 0)
        update(*seconds);
      return {};
    });
  };
  double seconds = 0;
  for (int warmUps = 0; warmUps < 3; ++warmUps)
    if (runtime::Status status = onAll([&](double value) { seconds = value; }); !status.ok())
      return status;
  rounds.repeats = std::max<int64_t>(1, static_cast<int64_t>(rounds.secondsPerRound / seconds));
  for (int round = 0; round < rounds.rounds; ++round)
    if (runtime::Status status =
            onAll([&](double value) { rounds.best = std::min(rounds.best, value); });
        !status.ok())
      return status;
  return {};
}

FailureOr<double> RunTimer::time(ArrayRef<std::string> arguments, StringRef ops,
                                 ArrayRef<std::string> results, bool beside) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(makeText(ranks, arguments, ops, results), &context);
  if (!module)
    return failure();
  FailureOr<abi::Executable> executable = compile(*module, ranks);
  if (failed(executable))
    return failure();
  if (beside)
    startBeside(*executable);
  auto session = runtime::Session::load(std::move(*executable), {.link = link});
  runtime::Status status = session ? runtime::Status() : session.status();
  Rounds shared{rounds, secondsPerRound};
  if (status.ok())
    status = measure(**session, shared);
  if (!status.ok()) {
    fail(RunFailed, status.describe());
    return failure();
  }
  return shared.best;
}

} // namespace pcc::cli
