// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program loaded on its ranks, as threads of this process; of several processes each loads its
// own ranks.
//
//   auto session = Session::load(*executable, {.seed = 1});
//   Status status = (*session)->setParameter("fc1.weight", weight);
//   Expected<StepResults> step = (*session)->runStep({{"image", images}, {"label", labels}});
//   Expected<Tensor> updated = (*session)->parameter("fc1.weight");

#ifndef PCC_RUNTIME_EXECUTE_SESSION_H
#define PCC_RUNTIME_EXECUTE_SESSION_H

#include "runtime/collective/World.h"
#include "runtime/execute/RankExecutor.h"
#include "runtime/machine/Link.h"

#include <map>
#include <optional>

namespace pcc::runtime {

struct SessionOptions {
  uint64_t seed = 0;
  /// Threads of all ranks together; 0: one per core.
  int threads = 0;
  /// Seconds that a rank may wait for others; 0: no limit.
  double timeOut = 0;
  /// What the local ranks' messages seem to go over; absent: nothing but memory.
  std::optional<machine::Link> link = {};
  /// What joins the program's ranks, of several processes; null: all are local.
  std::shared_ptr<World> world = {};
  /// What is remembered of each rank (traces).
  TraceOptions trace = {};
  /// Each record of a device is waited for before the next one, so that an error names it.
  bool checksRecords = false;
  /// Ranks are joined by NCCL, or not at all.
  bool byNccl = false;
  /// Hears of what makes the run slower than it could be; null: nobody.
  std::function<void(const std::string &)> warn = {};
};

using NamedTensors = std::map<std::string, Tensor>;

/// What one step gave.
struct StepResults {
  /// The whole batch's loss, and each rank's own.
  double loss = 0;
  std::vector<double> ownLosses;
  /// Global gradients by parameter, as section `update` gets them: summed over slots and partial
  /// axes, scaled.
  NamedTensors gradients;
};

class Session {
public:
  /// Checks and proves the executable, checks the machine, and loads every rank. Errors: as
  /// abi::validate() and check::prove(), Unavailable for a CPU feature or library that is not here.
  static Expected<std::unique_ptr<Session>> load(abi::Executable executable,
                                                 const SessionOptions &options = {});
  ~Session();

  const abi::Executable &executable() const;
  /// What all its programs show to the outside (abi::outsideOf): no records.
  const abi::Program &program() const;
  int64_t ranks() const;
  const World &world() const;

  /// Runs `body` for every own rank at once, each on a thread of its own, and waits for all. When
  /// one fails, the others' waits are ended, also in other processes. A rank that waits longer than
  /// the time limit ends the run with TimedOut and a table of all ranks; processes that do not
  /// answer are named. After any failure the session is of no more use.
  Status onEveryRank(const std::function<Status(RankExecutor &)> &body);

  // What follows needs all ranks in this process, but for saveParameters; else BadUsage.

  /// Sets a parameter on all ranks to their blocks of a global tensor. Errors: no such parameter,
  /// another type or shape.
  Status setParameter(const std::string &name, const Tensor &global);

  /// The global value of a parameter, and the block of one rank, whose program must have it.
  Expected<Tensor> parameter(const std::string &name) const;
  Expected<Tensor> parameter(const std::string &name, int64_t rank) const;

  /// Writes the global values of the model's parameters to a safetensors file (SaveParameters.h),
  /// from the first process; every process calls it.
  Status saveParameters(const std::string &path, bool mustBeFinite = false);
  /// The same on the threads of ranks that do nothing else; every rank calls it.
  Status saveOnRank(RankExecutor &rank, const std::string &path, bool mustBeFinite = false) const;

  /// Runs one step on a whole batch, given by input name: [rows of m·k microbatches, …].
  Expected<StepResults> runStep(const NamedTensors &batch);

  /// Runs section `forward` on one microbatch; the global outputs by name.
  Expected<NamedTensors> runForward(const NamedTensors &microbatch);

  /// What each own rank's memory took so far.
  std::vector<MemoryUse> memoryUse() const;

  /// The latest records of each own rank, as far as the options say.
  Expected<std::vector<std::vector<TraceEntry>>> traces() const;

private:
  struct State;
  explicit Session(std::shared_ptr<State> state) : state(std::move(state)) {}
  Status checkBatch(const NamedTensors &batch, int64_t microbatches) const;
  Status needWhole() const;
  Expected<Tensor> gather(RankExecutor &first, const abi::Parameter &parameter) const;

  /// Shared with the rank threads, which outlive the session if one of them never comes back.
  std::shared_ptr<State> state;
  int64_t step = 0;
};

/// The index of the section of that name, or -1.
int sectionOfName(const abi::Program &program, const std::string &name);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_SESSION_H
