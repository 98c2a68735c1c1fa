// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rendezvous of a group's members for one batch of collectives.
//
//   arrive     each member leaves a pointer to its calls; no member waits
//   open       the last to arrive cuts the work into units (WorkUnits.h); if the batch is small, it
//              does all units itself, because waking others takes longer
//   work       waiting members take units until there are none: one sleeper is woken for each
//              other core, and members that start to wait later help; members with other work
//              continue with it
//   done       the member that finishes the last unit wakes all; over an emulated link they sleep
//              until the bytes would have arrived
//
// A batch thus costs each member at most one sleep, or two for a woken helper, not counting
// emulated links. So 64 ranks on two cores progress whichever thread is scheduled. A rendezvous is
// reused for each batch whose number has the same remainder by the depth (LocalCommunicator.cpp).
// Its round r is the batch number / depth. `phase` counts steps: 2r while members arrive, 2r+1
// while they work, 2r+2 when the round is done.

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
  /// `ranks` holds the rank of each member, by position in the group. `link` is null if the ranks
  /// are joined by memory alone.
  BatchRendezvous(std::vector<int> ranks, WaitPolicy policy, EmulatedLink *link);

  /// Joins member `position` to round `round`, which it has not joined yet. The previous round must
  /// be done. A member inside work() of that round has not joined this one. So this one cannot open
  /// and replace the units that work() still reads.
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
  /// The link's transfer interval. Without a link only `begin` is used: when all members have
  /// arrived.
  TransferInterval carried;
  int64_t moved = 0; ///< when the bytes were moved; the end without a link

  alignas(64) std::atomic<uint32_t> arrived = 0;
  alignas(64) std::atomic<uint32_t> phase = 0;
  std::atomic<uint32_t> sleepers = 0;
  alignas(64) std::atomic<int64_t> nextUnit = 0;
  std::atomic<int64_t> unfinished = 0;
};

} // namespace pcc::runtime::local
