// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/calibrate/RunTimer.h"

#include "compiler/Compile.h"
#include "compiler/link/Link.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tools/pcc/calibrate/TimedRun.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;

namespace pcc::cli {

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

static FailureOr<abi::Executable> compile(ModuleOp module, int64_t ranks,
                                          const std::string &gpuChip) {
  CompileOptions options;
  options.parallel.set_device_num(static_cast<int32_t>(ranks));
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  options.gpuChip = gpuChip;
  if (failed(runPhases(module, options, CompilePhase::Llvm)))
    return failure();
  return link::linkProgram(module);
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
    FailureOr<abi::Executable> executable = compile(*module, ranks, gpuChip);
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
