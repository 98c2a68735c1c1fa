// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The batches of collectives that a rank has in flight, and who is found by which event.

#ifndef PCC_RUNTIME_EXECUTE_EVENTTABLE_H
#define PCC_RUNTIME_EXECUTE_EVENTTABLE_H

#include "runtime/collective/Communicator.h"
#include "runtime/execute/MemoryWatch.h"
#include "runtime/execute/Progress.h"
#include "runtime/execute/Trace.h"

#include <deque>
#include <vector>

namespace pcc::runtime {

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

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_EVENTTABLE_H
