// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the whole batch's loss, and the rank's own loss, from the values in the ranks' memories.
// A training reads the losses of its steps some steps later.

#pragma once

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <array>
#include <span>

namespace pcc::runtime {

class LossReader {
public:
  /// `executable` must outlive it.
  explicit LossReader(const abi::Executable &executable);

  /// Returns false if the program has no result of role LOSS.
  bool hasLoss() const { return loss != nullptr; }

  /// Returns whether `rank` has the loss: it runs the program that computes the loss.
  bool isAt(int64_t rank) const { return loss && ranks.holds(rank); }

  /// Returns whether the rank's value counts in the whole batch's loss.
  bool countsAt(int64_t rank) const { return loss && counts[size_t(rank)]; }

  /// Returns whether the rank has the loss after this section.
  bool isMadeBy(uint32_t section, int64_t rank) const {
    return isAt(rank) && loss->section() == section;
  }
  /// The loss's buffer, its size in bytes, and the value that its bytes encode.
  uint32_t buffer() const { return loss->buffer(); }
  uint64_t bytes() const { return abi::elementBytes(loss->block().type()); }
  double value(std::span<const std::byte> bytes) const;

  /// Stores the rank's value in `value` if `section` computes the loss.
  Status readAfter(uint32_t section, const RankExecutor &rank, double &value) const;

  /// Returns the whole batch's loss from every rank's value. The values are summed in rank order
  /// over the axes on which the loss is partial.
  double total(std::span<const double> values) const;

  /// Returns the rank's own loss from its value.
  double own(double value) const;

private:
  const abi::Result *loss = nullptr;
  abi::RankRange ranks;
  /// By rank: whether its value counts in the sum.
  std::vector<bool> counts;
};

/// Reads the losses of a rank's steps, in order. If the device runs asynchronously, the loss of a
/// step is read after two later steps have been enqueued. So the device does not wait for the host,
/// even if writing and transferring the inputs of a step together take longer than the step:
///
///   host      enqueue 0 | enqueue 1 | enqueue 2 | read 0, enqueue 3 | read 1, …
///   device    | step 0 ......................... | step 1 ........... | step 2 …
///
/// A rank without a loss waits for its steps in the same way.
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
