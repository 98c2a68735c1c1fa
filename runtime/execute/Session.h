// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program loaded on its ranks, which are threads of this process. With several processes, each
// process loads its own ranks. An own rank is a rank of this process.
//
//   auto session = Session::load(*executable, {.seed = 1});
//   Status status = (*session)->setParameter("fc1.weight", weight);
//   Expected<StepResults> step = (*session)->runStep({{"image", images}, {"label", labels}});
//   Expected<Tensor> updated = (*session)->parameter("fc1.weight");

#pragma once

#include "runtime/collective/World.h"
#include "runtime/execute/rank/RankExecutor.h"
#include "runtime/machine/UniformLink.h"

#include <map>
#include <optional>

namespace pcc::runtime {

struct SessionOptions {
  uint64_t seed = 0;
  /// Threads of all ranks together; 0: one per core.
  int threads = 0;
  /// Seconds that a rank may wait for other ranks; 0: no limit.
  double timeout = 0;
  /// Emulated link for the messages of local ranks; absent: memory speed.
  std::optional<machine::UniformLink> link = {};
  /// World that joins the program's ranks across several processes; null: all ranks are local.
  std::shared_ptr<World> world = {};
  /// Trace of each rank.
  TraceOptions trace = {};
  /// Wait for each device instruction before the next one, so that an error names it.
  bool checksInstructions = false;
  /// Look for numbers that are not finite in what each device instruction writes.
  FiniteCheckOptions finiteCheck = {};
  /// Join ranks with NCCL or fail.
  bool requiresNccl = false;
  /// Whether the caller sets a parameter after load(), which then leaves it undefined; null: none.
  std::function<bool(const abi::Parameter &)> isSetLater = {};
  /// Called with each reason that makes the run slower than possible; null: no warning.
  std::function<void(const std::string &)> warn = {};
};

using NamedTensors = std::map<std::string, Tensor>;

/// Results of one step.
struct StepResults {
  /// The whole batch's loss, and each rank's own.
  double loss = 0;
  std::vector<double> ownLosses;
  /// Global gradients by parameter, as section `update` gets them: summed over actions and partial
  /// axes, and scaled.
  NamedTensors gradients;
};

class Session {
public:
  /// Validates and proves the executable, checks the machine, and loads every rank. Errors: those
  /// of abi::validate() and check::prove(); Unavailable for a missing CPU feature or library.
  static Expected<std::unique_ptr<Session>> load(abi::Executable executable,
                                                 const SessionOptions &options = {});
  ~Session();

  const abi::Executable &executable() const;
  /// Returns the merged interface of all programs (abi::programInterface), without instructions.
  const abi::Program &program() const;
  int64_t ranks() const;
  const World &world() const;

  /// Runs `body` for every own rank at once, each on its own thread, and waits for all. If one rank
  /// fails, the waits of the others end, also in other processes. If a rank waits longer than the
  /// time limit while nobody is at known work (Watchdog.h), the run ends with TimedOut. The message
  /// is a table of all ranks, which names processes that do not answer. After any failure the
  /// session can no longer be used; memory that a transport may still write to then stays until the
  /// process ends.
  Status onEveryRank(const std::function<Status(RankExecutor &)> &body);

  // The following functions, except saveParameters, need all ranks in this process; otherwise they
  // return BadUsage.

  /// Sets a parameter on all ranks to their blocks of a global tensor. Errors: no such parameter,
  /// wrong type or shape.
  Status setParameter(const std::string &name, const Tensor &global);

  /// Return the global value of a parameter, or the block of one rank, whose program must have the
  /// parameter.
  Expected<Tensor> parameter(const std::string &name) const;
  Expected<Tensor> parameter(const std::string &name, int64_t rank) const;

  /// Marks this process as working during the lifetime of the result (Progress.h): its ranks run
  /// nothing meanwhile, but those of other processes may wait for them.
  LocalWork atWork(const char *what, double patience = workPatience);

  /// Waits until all ranks of all processes have come to the end of the run, as they do for each
  /// other in a transfer.
  Status finish();

  /// Writes the global values of the model's parameters to a safetensors file (SaveParameters.h).
  /// The first process writes it; every process calls this function.
  Status saveParameters(const std::string &path, bool mustBeFinite = false);
  /// Does the same on the rank threads, while the ranks do nothing else. Every rank calls it.
  Status saveOnRank(RankExecutor &rank, const std::string &path, bool mustBeFinite = false) const;

  /// Runs one step on a whole batch, given by input name: [rows of m·k microbatches, …].
  Expected<StepResults> runStep(const NamedTensors &batch);

  /// Runs section `forward` on one microbatch. Returns the global outputs by name.
  Expected<NamedTensors> runForward(const NamedTensors &microbatch);

  /// Returns the memory use of each own rank so far.
  std::vector<MemoryUse> memoryUse() const;
  /// Returns the greatest time that an own rank has spent on FiniteCheck.
  double finiteCheckSeconds() const;

  /// Returns the latest trace entries of each own rank, as many as the options keep.
  Expected<std::vector<std::vector<TraceEntry>>> traces() const;

private:
  struct State;
  struct Answers;
  Session(std::shared_ptr<State> state, std::unique_ptr<Answers> answers);
  Status checkBatch(const NamedTensors &batch, int64_t microbatches) const;
  Status needSingleProcess() const;
  Expected<Tensor> gather(RankExecutor &first, const abi::Parameter &parameter) const;

  /// Shared with the rank threads, which outlive the session if one of them never returns.
  std::shared_ptr<State> state;
  std::unique_ptr<Answers> answers;
  int64_t step = 0;
};

/// Returns the index of the section named `name`, or -1.
int sectionOfName(const abi::Program &program, const std::string &name);

} // namespace pcc::runtime
