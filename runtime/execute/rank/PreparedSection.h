// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the instructions of a section for one rank. The rank's own thread runs them in list
// order. It only starts collectives of the streams COMMUNICATION and TRANSFER. It waits for them
// when a later instruction waits for their event, or at the end of the step. All other instructions
// run immediately.
//
// Neighboring collectives in the list (check::LaunchGrouping) form one batch, which costs the ranks
// a single rendezvous.
//
// Instructions that touch ring buffers are prepared once for each ring index, so nothing is looked
// up at run time. Consecutive device instructions with no wait between them are joined if that is
// faster (Device::join). A batch of messages may be started for the next action while its previous
// run is still in flight.

#pragma once

#include "runtime/check/match/LaunchGrouping.h"
#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"
#include "runtime/execute/observe/FiniteCheck.h"
#include "runtime/execute/observe/Progress.h"
#include "runtime/execute/observe/Trace.h"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace pcc::runtime {

//===-- EventTable.cpp ------------------------------------------------------------------------===//

// Tracks the batches of collectives that a rank has in flight, and maps events to them.

class PeakMemoryTracker;

/// A batch that was started for an action and not yet waited for.
struct InFlightBatch {
  Request request;
  uint64_t ringIndex = 0; ///< of the action
  int64_t startTime = 0;
  std::span<const CollectiveCall> calls;
};

/// A batch of collectives that start together.
struct PreparedBatch {
  Communicator *communicator = nullptr;
  /// `instructions`: all instructions of the batch. `participating`: those in which the rank takes
  /// part. `instruction`: the instruction that names the batch in messages.
  std::vector<const abi::Instruction *> instructions, participating;
  const abi::Instruction *instruction = nullptr;
  /// By ring index.
  std::vector<std::vector<CollectiveCall>> callsOf;
  std::vector<uint32_t> signals;
  /// In-flight runs, in the order in which they were started; they are waited for in that order.
  std::deque<InFlightBatch> inFlight;
};

/// An event that an instruction waits for.
struct PreparedWait {
  uint32_t event = 0;
  /// 0: all runs of the signaling instruction so far. n ≥ 1: its run whose ring index is n - 1 less
  /// than that of the waiting action (abi::awaitedNumber).
  uint32_t behind = 0;
};

/// Maps events to in-flight batches. The sections of a rank share one table.
class EventTable {
public:
  explicit EventTable(size_t events) : pending(events, nullptr) {}

  /// Lets the events of a batch that was started refer to it.
  void addInFlight(PreparedBatch &batch);
  /// Waits for an event in the action with this ring index. An event without a batch in flight has
  /// been signaled.
  Status wait(const PreparedWait &wait, uint64_t ringIndex, Progress &progress, Trace &trace);
  /// Waits for all batches in flight that write to a byte range.
  Status finishWriters(const std::byte *begin, int64_t bytes, Progress &progress, Trace &trace);
  /// Waits for all runs of a batch.
  Status finish(PreparedBatch &batch, Progress &progress, Trace &trace);
  /// Waits for all batches.
  Status finishAll(Progress &progress, Trace &trace);

  /// Notified of the begin and end of each batch and instruction; null: no tracking.
  PeakMemoryTracker *memoryTracker = nullptr;

private:
  Status finishOldest(PreparedBatch &batch, Progress &progress, Trace &trace);

  std::vector<PreparedBatch *> pending;
  /// Batches with in-flight runs, each listed once.
  std::vector<PreparedBatch *> inFlightBatches;
};

//===-- PreparedSection.cpp -------------------------------------------------------------------===//

/// The communicators of one rank for its device's memory: one for all ranks, and one for the rank's
/// list of each group of the executable.
struct RankGroups {
  std::shared_ptr<Communicator> world;
  std::vector<std::unique_ptr<Communicator>> groups;

  /// Returns whether waiting for the device also means waiting for other ranks. This holds if the
  /// ranks' exchanges are enqueued on the device. A wait for free space in the queue counts, too.
  bool deviceWaitsForRanks() const { return world && world->isEnqueued() && world->size() > 1; }
};

class PreparedSection {
public:
  /// How the device instructions are run.
  struct RunMode {
    /// Wait for each instruction, so that an error names it.
    bool waitsForEach = false;
    /// Run each instruction by itself, so that its time can be observed.
    bool isTraced = false;
    /// Looks at what each instruction writes, which is then waited for; null: nobody does.
    FiniteCheck *finiteCheck = nullptr;
  };
  /// Prepares section `index` of the context's program for the device, which must outlive the
  /// section. Errors: instructions that the device does not support.
  static Expected<PreparedSection> prepare(int index, const PrepareContext &context, Device &device,
                                           const RankGroups &groups, RunMode mode);

  Status run(const ActionValues &action, EventTable &events, Progress &progress, Trace &trace);

  /// Prepares for repeated runs with these action values; see PreparedInstruction::makeReady.
  void makeReady(const ActionValues &action);

  /// Returns whether an instruction reads the space INPUT.
  bool readsInput() const { return usesInput; }

private:
  /// Several device instructions, from one step up to but excluding step `end`, run as one.
  struct Joined {
    size_t end;
    std::vector<std::unique_ptr<PreparedInstruction>> instructions; ///< by ring index
  };
  /// One device instruction, or one batch.
  struct Step {
    const abi::Instruction *instruction = nullptr;
    std::vector<std::unique_ptr<PreparedInstruction>> local = {}; ///< by ring index
    std::unique_ptr<PreparedBatch> batch = nullptr;
    std::vector<PreparedWait> waits = {};
    std::optional<Joined> joined = std::nullopt; ///< this step and those after it
  };
  Status waitBefore(const Step &step, const ActionValues &action, EventTable &events,
                    Progress &progress, Trace &trace);
  Status runStep(Step &step, const ActionValues &action, EventTable &events, Progress &progress,
                 Trace &trace);
  Status runJoined(Step &step, const ActionValues &action, Progress &progress, Trace &trace);
  Status runLocal(Step &step, const ActionValues &action, EventTable &events, Progress &progress,
                  Trace &trace);
  Status runBatch(Step &step, const ActionValues &action, EventTable &events, Progress &progress,
                  Trace &trace);
  Progress::Waiting waitingForDevice(Progress &progress) const;
  void joinSteps();
  Status addLocal(const abi::Instruction &instruction, const PrepareContext &context);
  void addCollective(const abi::Instruction &instruction, const RankGroups &groups,
                     const check::LaunchGrouping &grouping);
  Status prepareCalls(Step &step, const PrepareContext &context);

  Device *device = nullptr;
  bool checksInstructions = false;
  FiniteCheck *finiteCheck = nullptr;
  bool waitsForRanks = false;
  bool usesInput = false;
  std::vector<Step> steps;
};

} // namespace pcc::runtime
