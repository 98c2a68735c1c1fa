// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a running program: its memory, its prepared instructions, and the execution of a
// step.

#pragma once

#include "runtime/execute/connect/JoinDevices.h"
#include "runtime/execute/rank/PreparedSection.h"
#include "runtime/execute/rank/Tensor.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::runtime {

/// Callbacks of a step.
struct StepHooks {
  /// Fills the inputs for a microbatch and copy.
  std::function<Status(const abi::Action &action)> fill = {};
  /// Called after the last run of a section in this step; the section's results can be read.
  std::function<Status(uint32_t section)> sectionDone = {};
};

/// Memory use of a rank in bytes.
struct MemoryUse {
  /// Allocated bytes, including the constants that the ranks of a process share and the workspaces
  /// of GPU libraries.
  uint64_t allocated = 0;
  /// Peak of live bytes in the first step that the rank runs (PeakMemoryTracker.h); 0 before it.
  uint64_t peakLive = 0;
};

/// A message to rank 0. The tag distinguishes it from other messages of the same rank.
struct TaggedBytes {
  /// In `owned`, or in the rank's memory.
  std::span<const std::byte> bytes;
  uint32_t tag = 0;
  std::vector<std::byte> owned = {};
};

/// The values of parameters after load().
struct ParameterValues {
  /// Seed of random values.
  uint64_t seed = 0;
  /// Whether the caller sets a parameter later; null: none.
  std::function<bool(const abi::Parameter &)> isSetLater = {};
};

struct RankOptions {
  TraceOptions trace = {};
  /// Wait for each device instruction.
  bool checksInstructions = false;
  FiniteCheckOptions finiteCheck = {};
};

class RankExecutor {
public:
  /// `executable` must be valid and outlive this.
  RankExecutor(const abi::Executable &executable, int64_t rank, std::unique_ptr<Device> device,
               std::unique_ptr<Communicator> world, RankOptions options);

  /// Allocates memory, creates groups, prepares instructions and initializes parameters. All ranks
  /// call it concurrently, each on its own thread.
  Status load(const ParameterValues &values, const JoinDevices &join);

  /// Ends every present and future wait for other ranks. Any thread may call it.
  void abort(const std::string &reason);

  /// Calls Communicator::checkPeers of the communicator that joins the devices. Any thread may call
  /// it.
  Status checkPeers();

  /// Waits until the device has done everything it was given.
  Status synchronize() const;

  /// Runs all actions; `step` counts from 0, or from the step at which training continues. Step 0
  /// begins with section `start_training` if the program has one.
  Status runStep(int64_t step, const StepHooks &hooks);

  /// Returns the actions before which a step fills the inputs (StepHooks::fill), in order.
  std::vector<const abi::Action *> fillingActions() const;

  /// Runs one section alone, as evaluation does.
  Status runSection(uint32_t section);

  int64_t rank() const { return ownRank; }
  const abi::Executable &executable() const { return wholeExecutable; }
  const abi::Program &program() const { return ownProgram; }
  Device &device() { return *ownDevice; }
  Communicator &world() { return *worldCommunicator; }
  const Progress &progress() const { return ownProgress; }
  /// Marks the rank as working during the lifetime of the result (Progress.h), with a patience in
  /// seconds.
  LocalWork atWork(const char *what, double patience = workPatience) {
    return LocalWork(ownProgress.work, what, patience);
  }
  Trace &trace() { return ownTrace; }
  const MemoryUse &memoryUse() const { return use; }
  /// Returns the seconds spent on looking for numbers that are not finite.
  double finiteCheckSeconds() const { return finiteCheck ? finiteCheck->seconds() : 0; }

  /// Creates a connection to rank 0 that is separate from the program's communication. It is needed
  /// if the ranks are in several processes; every rank calls it.
  Status connectToFirstRank();
  /// Send messages to rank 0, which may receive them in any order; receive a message on rank 0 from
  /// `rank`, which sends as many bytes under the same tag. After an abort the bytes stay allocated
  /// beyond the call, because the transport may still use them.
  Status sendToFirstRank(std::vector<TaggedBytes> messages);
  Expected<std::vector<std::byte>> receiveFrom(int64_t rank, size_t bytes, uint32_t tag = 0);

  /// Waits at a barrier of all ranks. `name` names it: "at the barrier after an epoch".
  Status barrier(const char *name);
  /// Replaces each of `values` by its maximum over all ranks. Every rank calls it with the
  /// same number of values.
  Status maxOfRanks(std::span<int64_t> values, const char *name);

  /// Copies bytes to the start of a buffer, ordered after everything enqueued so far. The caller
  /// may change the bytes on return.
  Status write(uint32_t buffer, std::span<const std::byte> bytes);

  /// Returns the address of a buffer in device memory.
  std::byte *address(uint32_t buffer) const;
  /// Return a copy of the block in a buffer, or copy the first bytes of a buffer.
  Expected<Tensor> read(const abi::Block &block, uint32_t buffer) const;
  Status read(std::span<std::byte> bytes, uint32_t buffer) const;
  /// Returns the first bytes of a buffer readable by the host: in place, or copied to `copy`.
  Expected<std::span<const std::byte>> read(uint32_t buffer, size_t bytes,
                                            std::vector<std::byte> &copy) const;

  /// inputStaging(): returns the staging of a buffer's content; all callers get the same one.
  /// makeSnapshot(): creates a snapshot of the first bytes of a buffer.
  Expected<HostToDeviceStaging *> inputStaging(uint32_t buffer);
  Expected<std::unique_ptr<Snapshot>> makeSnapshot(uint32_t buffer, uint64_t bytes);
  /// Call the same functions of the staging or snapshot. Meanwhile they mark the rank as waiting
  /// for other ranks, if it may wait for them.
  Status wait(HostToDeviceStaging &inputStaging) const;
  Status send(HostToDeviceStaging &inputStaging) const;
  Status take(Snapshot &snapshot) const;
  Expected<std::span<const std::byte>> read(Snapshot &snapshot) const;

private:
  Progress::Waiting waitingForDevice() const;
  Status unlessAborted(Status status) const;
  Expected<std::shared_ptr<Communicator>> joinDevices(const JoinDevices &join);
  Status startTimestamps();
  Status makeGroups();
  Status allocateSpaces();
  Status initializeParameters(const ParameterValues &values);
  Status prepareSections();
  void planActions();
  void numberActions();
  struct Exchange;
  Status runWithFirstRank(std::shared_ptr<const Exchange> exchange, const char *name);
  Expected<std::unique_ptr<Communicator>> split(Communicator &all, int color, int key);
  Status finishResults(uint32_t section);
  Status runActions(int64_t step, const StepHooks &hooks);
  Status runAction(size_t action, int64_t step, const StepHooks &hooks);
  ActionValues valuesOf(size_t action, int64_t step) const;
  Status prepareActions();

  const abi::Executable &wholeExecutable;
  const abi::Program &ownProgram;
  const int64_t ownRank;
  const RankOptions options;
  // Prepared instructions refer to the device, so the device must be destroyed after them.
  std::unique_ptr<Device> ownDevice;
  /// Communicators for data in host memory; `groups.world` is the one for device memory.
  std::shared_ptr<Communicator> worldCommunicator, firstRankComm;
  /// Guards `groups.world`: `load` sets it, and other threads abort it or check its peers.
  std::mutex joinMutex;
  RankGroups groups;
  std::vector<std::unique_ptr<Allocation>> spaces;
  RankMemory memory;
  std::map<uint32_t, std::unique_ptr<HostToDeviceStaging>> inputStagings;
  std::unique_ptr<FiniteCheck> finiteCheck;
  std::vector<PreparedSection> sections;
  /// By section: the number of times it was run alone.
  std::vector<int64_t> runsAlone;
  std::optional<uint32_t> startSection;
  EventTable events;
  mutable Progress ownProgress; ///< its readers are const
  Trace ownTrace;
  MemoryUse use;
  bool hasRunStep = false;

  /// Role of an action among the actions of a step.
  struct ActionPlan {
    bool first = false; ///< first run of its section
    bool last = false;
    bool needsInput = false; ///< whether its inputs must be filled
    int64_t runs = 0;        ///< runs of its section
    int64_t block = 0;       ///< index of its microbatch and copy among these runs
  };
  std::vector<ActionPlan> actions; ///< by action
};

} // namespace pcc::runtime
