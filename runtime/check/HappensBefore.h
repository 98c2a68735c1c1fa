// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done when a record begins, from lanes, events and messages: vector clocks (Mattern, 1988,
// "Virtual time and global states of distributed systems"). A clock counts runs: number 0 those of
// the lane COMPUTE, which are in one order, each other number those of one record beside it.
//
//   a (COMPUTE)            clock 0: 1
//   b (TRANSFER), waits a  begins with {0: 1}, is done with {0: 1, b: 1}
//   c (COMPUTE)            begins with {0: 1}: nothing orders it after b
//   d (COMPUTE), waits b   begins with {0: 2, b: 1}
//
// Runs of one record are done in their order, so that a count says all of those before it, too.
//
// What is fused begins with the first of its message, and is done with all before it there.
//
// No byte of a message comes before its sender began to send it. So what that rank knew then of
// this one (Arrivals.h) is done when a receive begins to write, and of course when it is done.

#ifndef PCC_RUNTIME_CHECK_HAPPENSBEFORE_H
#define PCC_RUNTIME_CHECK_HAPPENSBEFORE_H

#include "runtime/check/ProgramIndex.h"

#include <map>

namespace pcc::check {

/// By number of the clock: runs that are done.
using Clock = std::vector<uint32_t>;

/// The run of a record, as others ask for it.
struct Moment {
  uint32_t clock = 0;
  uint32_t count = 0;
};

/// By clock of a receive and by run in an episode: which of the rank's own runs were done when the
/// sender began. Empty where nothing is known.
using Arrivals = std::vector<std::vector<Clock>>;

/// One rank's way through the slots of an episode.
class HappensBefore {
public:
  /// `arrivals` may be null: what comes is taken to come at any time.
  HappensBefore(const ProgramIndex &index, const Arrivals *arrivals);

  /// A record begins (its place in ProgramIndex::records); until the next call begin() is its
  /// clock and moment() its run.
  void enter(uint32_t record);
  const Clock &begin() const { return now; }
  Moment moment() const { return {index.clockOf[entered], count}; }
  uint32_t record() const { return entered; }
  /// The record that was entered signals its events.
  void leave();

  /// Whether a run is done when the entered record begins, and when it may begin to write.
  bool isDone(Moment moment) const { return now[moment.clock] >= moment.count; }
  bool isDoneBeforeWrite(Moment moment) const {
    return isDone(moment) || (arrival && (*arrival)[moment.clock] >= moment.count);
  }

  /// Something between slots that the rank's own thread does: it comes after all of COMPUTE.
  void enterThread() { now = compute; }
  /// A slot begins: so does its COMMUNICATION, not sooner.
  void enterSlot(const abi::Slot &slot);
  /// It waited for a run.
  void waitFor(Moment moment);

  /// A step ends: everything is done.
  void finish();

private:
  void waitForEvents(const abi::Record &record);

  const ProgramIndex &index;
  const Arrivals *arrivals;
  Clock now, compute, slotBegin;
  /// Of the last collective that is not fused, and those fused with it: before them, and behind
  /// them.
  Clock messageBegin, messageDone;
  /// What the sender knew, if the entered record receives and that is known.
  const Clock *arrival = nullptr;
  /// By event and by clock: what was known when the last run that signals, or is, it was done.
  std::vector<Clock> signalled, doneBy;
  /// By event that some record waits for by number: what was known then, by number.
  std::map<uint32_t, std::map<uint64_t, Clock>> signalledFor;
  /// By clock but that of COMPUTE.
  std::vector<uint32_t> runs;
  uint32_t entered = 0, count = 0, computed = 0;
  uint64_t number = 0; ///< of the slot, by which rings turn
};

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_HAPPENSBEFORE_H
