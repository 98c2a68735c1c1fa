// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a running program: its memory, its records made ready, and the way through a step.

#ifndef PCC_RUNTIME_EXECUTE_RANKEXECUTOR_H
#define PCC_RUNTIME_EXECUTE_RANKEXECUTOR_H

#include "runtime/execute/DeviceCommunicator.h"
#include "runtime/execute/PreparedSection.h"
#include "runtime/execute/Tensor.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::runtime {

/// What a step calls on the way.
struct StepHooks {
  /// Fills the inputs for a microbatch and copy.
  std::function<Status(const abi::Slot &slot)> fill = {};
  /// A section ran for the last time in this step, and its results can be read.
  std::function<Status(uint32_t section)> sectionDone = {};
};

/// Bytes of a rank.
struct MemoryUse {
  /// Allocated for it, with the constants that the ranks of a process share, and with what the
  /// libraries of a GPU work in.
  uint64_t allocated = 0;
  /// The most that were live at once in its first step (MemoryWatch.h); 0 before that.
  uint64_t peakLive = 0;
};

/// What a rank tells the first one, and a number that tells it from the rest.
struct TaggedBytes {
  std::span<const std::byte> bytes;
  uint32_t tag = 0;
};

struct RankOptions {
  TraceOptions trace = {};
  /// Each record of the device is waited for.
  bool checksRecords = false;
};

class RankExecutor {
public:
  /// `executable` must be valid and outlive this.
  RankExecutor(const abi::Executable &executable, int64_t rank, std::unique_ptr<Device> device,
               std::unique_ptr<Communicator> world, RankOptions options);

  /// Allocates, makes groups, prepares records, initialises parameters. Called by every rank at the
  /// same time, each on its thread.
  Status load(uint64_t seed, const JoinDevices &join);

  /// Ends every wait for other ranks, now and later. May be called from any thread.
  void abort(const std::string &reason);

  /// Communicator::checkPeers of what joins the devices. May be called from any thread.
  Status checkPeers();

  /// Returns when all that the device was given is done.
  Status synchronise() const;

  /// Runs all slots; `step` counts from 0. Step 0 begins with section `start_training`, if there is
  /// one.
  Status runStep(int64_t step, const StepHooks &hooks);

  /// Runs one section alone, as evaluation does.
  Status runSection(uint32_t section);

  int64_t rank() const { return ownRank; }
  const abi::Executable &executable() const { return whole; }
  const abi::Program &program() const { return own; }
  Device &device() { return *ownDevice; }
  Communicator &world() { return *worldCommunicator; }
  const Progress &progress() const { return ownProgress; }
  Trace &trace() { return ownTrace; }
  const MemoryUse &memoryUse() const { return use; }

  /// The way to the first rank beside the program's own communication, where ranks are of several
  /// processes. `connectToFirst` makes it; every rank calls it.
  Status connectToFirst();
  /// Sends bytes there, in any order, and receives them there from `rank`, who sends as many under
  /// the same tag.
  Status tellFirst(std::span<const TaggedBytes> messages);
  Status hearFrom(int64_t rank, std::span<std::byte> bytes, uint32_t tag = 0);

  /// Brings bytes to the begin of a buffer, behind all that was run; they may change then.
  Status write(uint32_t buffer, std::span<const std::byte> bytes);

  /// In the memory of the device.
  std::byte *address(uint32_t buffer) const;
  /// A copy of the block in a buffer, and of the first bytes of one.
  Expected<Tensor> read(const abi::Block &block, uint32_t buffer) const;
  Status read(std::span<std::byte> bytes, uint32_t buffer) const;
  /// The first bytes of a buffer where the host can read them: in their place, or copied to `copy`.
  Expected<std::span<const std::byte>> look(uint32_t buffer, size_t bytes,
                                            std::vector<std::byte> &copy) const;

  /// For the content of a buffer: the same one for all who ask. For its first bytes.
  Expected<Inlet *> inlet(uint32_t buffer);
  Expected<std::unique_ptr<Snapshot>> makeSnapshot(uint32_t buffer, uint64_t bytes);
  /// What these do, by a rank that may wait for others there.
  Status wait(Inlet &inlet) const;
  Status send(Inlet &inlet) const;
  Status take(Snapshot &snapshot) const;
  Expected<std::span<const std::byte>> look(Snapshot &snapshot) const;

private:
  Progress::Waiting waitingForDevice() const;
  Status unlessGivenUp(Status status) const;
  Status startMarking();
  Status makeGroups();
  Status allocateSpaces();
  Status initialiseParameters(uint64_t seed);
  Status prepareSections();
  void planSlots();
  void numberSlots();
  Status runToFirst(std::span<const CollectiveCall> calls);
  Status finishResults(uint32_t section);
  Status runSlots(int64_t step, const StepHooks &hooks);
  Status runSlot(size_t slot, int64_t step, const StepHooks &hooks);
  SlotValues valuesOf(size_t slot, int64_t step) const;
  Status makeSlotsReady();

  const abi::Executable &whole;
  const abi::Program &own;
  const int64_t ownRank;
  const RankOptions options;
  // Prepared records refer to the device, so it must go after them.
  std::unique_ptr<Device> ownDevice;
  /// For memory of the host.
  std::shared_ptr<Communicator> worldCommunicator, toFirst;
  /// Of an abort with a rank that is just joining.
  std::mutex joinMutex;
  RankGroups groups;
  std::vector<std::unique_ptr<Allocation>> spaces;
  RankMemory memory;
  std::map<uint32_t, std::unique_ptr<Inlet>> inlets;
  std::vector<PreparedSection> sections;
  /// By section: how often it was run alone.
  std::vector<int64_t> runsAlone;
  std::optional<uint32_t> startSection;
  EventTable events;
  mutable Progress ownProgress; ///< who reads may wait
  Trace ownTrace;
  MemoryUse use;

  /// By slot: whether its section runs for the first, for the last time in a step; whether its
  /// inputs are not there yet.
  struct SlotPlan {
    bool first = false;
    bool last = false;
    bool needsInput = false;
    int64_t runs = 0;  ///< of the section in a step
    int64_t block = 0; ///< of the batch: which of these runs it is
  };
  std::vector<SlotPlan> slots;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_RANKEXECUTOR_H
