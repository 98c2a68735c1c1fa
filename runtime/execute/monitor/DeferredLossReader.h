// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the losses of a rank's steps, in order. If the device runs asynchronously, the loss of a
// step is read after two later steps have been enqueued. So the device does not wait for the host,
// even if writing and transferring the inputs of a step together take longer than the step:
//
//   host      enqueue 0 | enqueue 1 | enqueue 2 | read 0, enqueue 3 | read 1, …
//   device    | step 0 ......................... | step 1 ........... | step 2 …
//
// A rank without a loss waits for its steps in the same way.

#pragma once

#include "runtime/execute/monitor/LossReader.h"

#include <array>

namespace pcc::runtime {

class DeferredLossReader {
public:
  static Expected<DeferredLossReader> make(const LossReader &losses, RankExecutor &rank);

  /// Called after the last run of each section in a step, and at the end of each step.
  Status sectionDone(uint32_t section);
  Status stepDone();

  /// The number of steps with an unread loss, and its maximum while steps are still enqueued.
  int64_t unread() const { return taken - readCount; }
  int64_t maxUnread() const { return maxUnreadSteps; }
  /// The first step with an unread loss. read() waits for that step and returns its loss as the
  /// rank has it; 0 on a rank without a loss.
  int64_t firstUnread() const { return readCount; }
  Expected<double> read();

private:
  DeferredLossReader(const LossReader &losses, RankExecutor &rank) : losses(&losses), rank(&rank) {}
  Status take();

  /// Number of steps that are enqueued after a step whose loss is unread.
  static constexpr int64_t maxAhead = 2;

  const LossReader *losses;
  RankExecutor *rank;
  /// Steps use the snapshots in turn.
  std::array<std::unique_ptr<Snapshot>, maxAhead + 1> snapshots;
  int64_t maxUnreadSteps = 0, taken = 0, readCount = 0;
};

} // namespace pcc::runtime
