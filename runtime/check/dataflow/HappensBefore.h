// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions that are done when an instruction begins, derived from streams, events and
// messages with vector clocks (Mattern, 1988, "Virtual time and global states of distributed
// systems"). A clock counts runs. Clock 0 counts the runs on the stream COMPUTE, which are totally
// ordered. Every other clock counts the runs of one message, or of one instruction on another
// stream.
//
//   a (COMPUTE)            clock 0: 1
//   b (TRANSFER), waits a  begins with {0: 1}, is done with {0: 1, b: 1}
//   c (COMPUTE)            begins with {0: 1}: nothing orders it after b
//   d (COMPUTE), waits b   begins with {0: 2, b: 1}
//
// Runs of one instruction finish in order, so a count includes all earlier runs.
//
// A fused collective begins with its first member; each member is done after all members before it.
//
// No byte of a message arrives before its sender begins to send. So the work of this rank that the
// sender knew to be done (listArrivals) is done when a receive begins to write.

#pragma once

#include "runtime/check/match/Matching.h"
#include "runtime/check/program/ProgramIndex.h"

#include <map>

namespace pcc::check {

/// Number of completed runs, by clock.
using Clock = std::vector<uint32_t>;

/// A run of an instruction: its clock and its count.
struct Timestamp {
  uint32_t clock = 0;
  uint32_t count = 0;
};

/// By clock of a receive and by run in an execution: the rank's own runs that were done when the
/// sender began. Empty if unknown.
using Arrivals = std::vector<std::vector<Clock>>;

/// Tracks one rank's run through the actions of an execution.
class HappensBefore {
public:
  /// `arrivals` may be null: messages then arrive at any time.
  HappensBefore(const ProgramIndex &index, const Arrivals *arrivals);

  /// Begins an instruction; `instruction` is its position in ProgramIndex::instructions. Until the
  /// next call, begin() is its clock and timestamp() its run.
  void enter(uint32_t instruction);
  const Clock &begin() const { return now; }
  Timestamp timestamp() const { return {index.clockOf[entered], count}; }
  uint32_t instruction() const { return entered; }
  /// Ends the entered instruction and signals its events.
  void leave();

  /// Whether a run is done when the entered instruction begins. isDoneBeforeWrite: when the
  /// instruction begins to write.
  bool isDone(Timestamp timestamp) const { return now[timestamp.clock] >= timestamp.count; }
  bool isDoneBeforeWrite(Timestamp timestamp) const {
    return isDone(timestamp) || (arrival && (*arrival)[timestamp.clock] >= timestamp.count);
  }

  /// Enters work of the rank's own thread between actions. It comes after all of COMPUTE.
  void enterThread() { now = compute; }
  /// Begins an action. Its COMMUNICATION begins no sooner.
  void enterAction(const abi::Action &action);
  /// Waits for a run in the rank's own thread.
  void waitFor(Timestamp timestamp);

  /// Ends a step: everything is done.
  void finish();

private:
  void waitForEvents(const abi::Instruction &instruction);

  const ProgramIndex &index;
  const Arrivals *arrivals;
  Clock now, compute, actionBegin;
  /// Clocks before and after the last collective and the ones fused with it.
  Clock messageBegin, messageDone;
  /// The sender's knowledge, if the entered instruction is a receive and the knowledge exists.
  const Clock *arrival = nullptr;
  /// Clock at the end of the last run that signals an event, and of the last run of each clock.
  std::vector<Clock> signaled, doneByClock;
  /// The same by event and by action number, for events that some instruction awaits by number.
  std::map<uint32_t, std::map<uint64_t, Clock>> signaledFor;
  /// Number of runs by clock, without COMPUTE.
  std::vector<uint32_t> runs;
  uint32_t entered = 0, count = 0, computed = 0;
  uint64_t number = 0; ///< ring index of the action
};

//===-- Arrivals.cpp ------------------------------------------------------------------------===//

// Finds the work of a rank that is certainly done when a message arrives there, also by way of
// other ranks:
//
//   rank 0   forward[0] ── send h[0] ─┐              ┌─ recv g[0] ── backward[0]
//   rank 1                  recv h[0] ┴─ backward[0] ┴─ send g[0]
//
// When g[0] arrives, rank 1 has h[0]. So forward[0] is done on rank 0, and its send has read all of
// its source. Rank 1 may in turn have learned facts about rank 2, and so on: knowledge travels with
// messages.
//
// A sender learns nothing about its receiver, because a device may buffer a message until it is
// received.
//
// Ranks at the same position of their programs form a column, and all columns are alike. Only
// messages that all ranks of a program exchange within their columns carry knowledge.

/// Lists the arrivals of an execution by program. The execution must complete (RendezvousState.h),
/// and its messages must match.
std::vector<Arrivals> listArrivals(const std::vector<ProgramIndex> &programs,
                                   const Messages &messages, const Execution &execution);

} // namespace pcc::check
