// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks the batches of collectives that a rank has in flight, and maps events to them.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/execute/observe/Progress.h"
#include "runtime/execute/observe/Trace.h"

#include <deque>
#include <span>
#include <vector>

namespace pcc::runtime {

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

} // namespace pcc::runtime
