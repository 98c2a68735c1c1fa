// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rendezvous of a group's members for one batch of collectives.
//
//   arrive     each member leaves a pointer to its calls; no member waits
//   open       the last to arrive cuts the work into units (WorkUnits.h); if the batch is small, it
//              works at once without waking others
//   work       waiting members take units until there are none: one sleeper is woken for each
//              other core, and members that start to wait later help; members with other work
//              continue with it
//   done       the member that finishes the last unit wakes all; over an emulated link they sleep
//              until the bytes would have arrived
//
// A batch thus costs each member at most one sleep, and 64 ranks on two cores progress whichever
// thread is scheduled. A rendezvous is reused: round q is in `phase` 2q while members arrive, 2q+1
// while they work, and done from 2q+2 on.

#pragma once

#include "runtime/base/Sleep.h"
#include "runtime/collective/local/EmulatedLink.h"
#include "runtime/collective/local/WorkUnits.h"

#include <atomic>
#include <vector>

namespace pcc::runtime::local {

/// How waiting members spin, and how many of them are woken to work.
struct WaitPolicy {
  /// Iterations of a spin loop before a sleep; used only if every rank has a core.
  int spins = 0;
  /// Number of sleepers to wake for the work.
  int helpers = 0;
};

class BatchRendezvous {
public:
  /// `ranks` is indexed by position. `link` is null if the ranks are joined by memory alone.
  BatchRendezvous(std::vector<int> ranks, WaitPolicy policy, EmulatedLink *link);

  /// Joins member `position` to round `round`, which it has not joined yet. The previous round must
  /// be done.
  void arrive(uint32_t round, int position, std::span<const CollectiveCall> calls);

  /// Works while there is work, and sleeps until the round is done or `aborted` is true. Sets
  /// `interval` to the transfer interval. Returns the status of the round; success after an abort,
  /// which the caller must check.
  Status wait(uint32_t round, const std::atomic<bool> &aborted, TransferInterval &interval);

  bool isDone(uint32_t round) const { return reached(2 * round + 2); }

private:
  bool reached(uint32_t value) const {
    return int32_t(phase.load(std::memory_order_acquire) - value) >= 0;
  }
  void open(uint32_t round);
  void gather(size_t call);
  bool isSmallBatch() const;
  void work(uint32_t round);
  void finish(uint32_t round);

  const std::vector<int> ranks;
  const WaitPolicy policy;
  EmulatedLink *const link;
  std::vector<std::span<const CollectiveCall>> arrivals;
  /// By call, then position.
  std::vector<std::vector<const CollectiveCall *>> calls;
  /// The first unit of each call, and the number of all units.
  std::vector<int64_t> firstUnit;
  Status outcome;
  /// `carried`: the link's transfer interval; without a link it begins when all members have
  /// arrived. `moved`: when the bytes were moved.
  TransferInterval carried;
  int64_t moved = 0;

  alignas(64) std::atomic<uint32_t> arrived = 0;
  alignas(64) std::atomic<uint32_t> phase = 0;
  std::atomic<uint32_t> sleepers = 0;
  alignas(64) std::atomic<int64_t> nextUnit = 0;
  std::atomic<int64_t> unfinished = 0;
};

} // namespace pcc::runtime::local
