// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the members of a group meet for one batch of collectives.
//
//   arrive     each member leaves a pointer to its calls; nobody waits
//   open       the last to arrive cuts the work into pieces (Pieces.h), or does a little at once
//   work       whoever waits takes pieces until there are none: as many sleepers as there are
//              other cores are woken, and those who come to wait later help; who has something
//              else to do goes on with that
//   done       who finishes the last piece wakes all; over an emulated link they sleep on until the
//              bytes would have arrived
//
// So a batch costs each member at most one sleep, and 64 ranks on two cores make progress whoever
// is scheduled. A meeting is used again and again: round q is in `phase` 2q while members arrive,
// 2q+1 while they work, and done from 2q+2 on.

#ifndef PCC_RUNTIME_COLLECTIVE_LOCAL_MEETING_H
#define PCC_RUNTIME_COLLECTIVE_LOCAL_MEETING_H

#include "runtime/base/Futex.h"
#include "runtime/collective/local/EmulatedLink.h"
#include "runtime/collective/local/Pieces.h"

#include <atomic>
#include <vector>

namespace pcc::runtime::local {

/// How waits behave.
struct WaitPolicy {
  /// Turns of a spinning loop before a sleep: only where every rank has a core.
  int spins = 0;
  /// Sleepers to wake for the work.
  int helpers = 0;
};

class Meeting {
public:
  /// Of the ranks by position, joined by memory alone or over `link`.
  Meeting(std::vector<int> ranks, WaitPolicy policy, EmulatedLink *link);

  /// Member `position` joins round `round`, which it has not joined yet; the round before must be
  /// done.
  void arrive(uint32_t round, int position, std::span<const CollectiveCall> calls);

  /// Works while there is work and sleeps until the round is done or `aborted` is true; `passage`
  /// becomes when it was on its way. Returns the status of the round; success after an abort, which
  /// the caller sees for itself.
  Status wait(uint32_t round, const std::atomic<bool> &aborted, Passage &passage);

  bool isDone(uint32_t round) const { return reached(2 * round + 2); }

private:
  bool reached(uint32_t value) const {
    return int32_t(phase.load(std::memory_order_acquire) - value) >= 0;
  }
  void open(uint32_t round);
  void gather(size_t call);
  bool isLittle() const;
  void work(uint32_t round);
  void finish(uint32_t round);

  const std::vector<int> ranks;
  const WaitPolicy policy;
  EmulatedLink *const link;
  std::vector<std::span<const CollectiveCall>> arrivals;
  /// By call, then position.
  std::vector<std::vector<const CollectiveCall *>> calls;
  /// The first piece of each call, and the number of all pieces.
  std::vector<int64_t> firstPiece;
  Status outcome;
  /// When the link carries the round's bytes, without one from when all have come; when they were
  /// moved.
  Passage carried;
  int64_t moved = 0;

  alignas(64) std::atomic<uint32_t> arrived = 0;
  alignas(64) std::atomic<uint32_t> phase = 0;
  std::atomic<uint32_t> sleepers = 0;
  alignas(64) std::atomic<int64_t> nextPiece = 0;
  std::atomic<int64_t> unfinished = 0;
};

} // namespace pcc::runtime::local

#endif // PCC_RUNTIME_COLLECTIVE_LOCAL_MEETING_H
