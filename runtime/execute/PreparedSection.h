// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section's records made ready for one rank. They are run in the order of the list by the rank's
// own thread. Collectives of the lanes COMMUNICATION and TRANSFER are started there and waited for
// when a later record waits for their event, or at the end of the step; all else is done on the
// spot.
//
// Neighbours in the list (check::Neighbours) become one batch, which costs the ranks one meeting.
// What touches rings of buffers is prepared once for each index, so nothing is looked up while it
// runs. A batch of messages may be started for another slot before it is done for the one before.

#ifndef PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H
#define PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H

#include "runtime/check/Neighbours.h"
#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"
#include "runtime/execute/MemoryWatch.h"
#include "runtime/execute/Progress.h"
#include "runtime/execute/Trace.h"

#include <deque>
#include <vector>

namespace pcc::runtime {

/// The communicators of one rank for the memory of its device: all ranks, and the rank's list of
/// each group of the executable.
struct RankGroups {
  std::shared_ptr<Communicator> world;
  std::vector<std::unique_ptr<Communicator>> groups;
};

/// A batch that was started for a slot and not yet waited for.
struct Flight {
  Request request;
  uint64_t number = 0; ///< of the slot, by which rings turn
  int64_t startTime = 0;
  std::span<const CollectiveCall> calls;
};

/// A batch of collectives.
struct PreparedBatch {
  Communicator *communicator = nullptr;
  /// All of the batch, those in which the rank takes part, and the one by which it goes in
  /// messages.
  std::vector<const abi::Record *> records, parts;
  const abi::Record *record = nullptr;
  /// By ring index.
  std::vector<std::vector<CollectiveCall>> callsOf;
  std::vector<uint32_t> signals;
  /// In the order in which they were started, and are waited for.
  std::deque<Flight> flights;
};

/// An event that a record waits for; Record.behind says which of its runs.
struct PreparedWait {
  uint32_t event = 0;
  uint32_t behind = 0;
};

/// What is in flight, by event; shared by the sections of a rank.
class EventTable {
public:
  explicit EventTable(size_t events) : pending(events, nullptr) {}

  void signalLater(PreparedBatch &batch);
  /// Waits for an event in the slot of that number, for all of a batch, for whatever writes to some
  /// bytes, or for all there is.
  Status wait(const PreparedWait &wait, uint64_t number, Progress &progress, Trace &trace);
  Status finishWriters(const std::byte *begin, int64_t bytes, Progress &progress, Trace &trace);
  Status finish(PreparedBatch &batch, Progress &progress, Trace &trace);
  Status finishAll(Progress &progress, Trace &trace);

  /// Is told of all that begins and is done; null: nobody.
  MemoryWatch *watch = nullptr;

private:
  Status finishFirst(PreparedBatch &batch, Progress &progress, Trace &trace);

  std::vector<PreparedBatch *> pending;
  /// Batches with flights, each once.
  std::vector<PreparedBatch *> flying;
};

class PreparedSection {
public:
  /// Prepares section `index` of the context's program for the device, which must outlive it.
  /// Errors: what the device cannot do.
  static Expected<PreparedSection> prepare(int index, const PrepareContext &context, Device &device,
                                           const RankGroups &groups);

  Status run(const SlotValues &slot, EventTable &events, Progress &progress, Trace &trace);

  /// True if a record reads the space INPUT.
  bool readsInput() const { return usesInput; }

private:
  /// One record of the device, or one batch.
  struct Step {
    const abi::Record *record = nullptr;
    std::vector<std::unique_ptr<PreparedRecord>> local = {}; ///< by ring index
    std::unique_ptr<PreparedBatch> batch = nullptr;
    std::vector<PreparedWait> waits = {};
  };
  Status runStep(Step &step, const SlotValues &slot, EventTable &events, Progress &progress,
                 Trace &trace);
  Status addLocal(const abi::Record &record, const PrepareContext &context);
  void addCollective(const abi::Record &record, const RankGroups &groups,
                     const check::Neighbours &neighbours);
  void prepareCalls(Step &step, const PrepareContext &context);

  Device *device = nullptr;
  bool usesInput = false;
  std::vector<Step> steps;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_PREPAREDSECTION_H
