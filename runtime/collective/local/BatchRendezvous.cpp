// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the batches of calls of a group, one round for each batch. A round has units of work, such
// as a part of an all-reduce, that any member may do.
//
// Uses atomic counters instead of a lock. A store to `phase` publishes each step of a round, and
// waiting members sleep on it (Sleep.h). A waiting member counts itself in `sleepers` before the
// sleep compares `phase`. The other side stores `phase` before it reads `sleepers`, so no wake-up
// is lost.

#include "runtime/collective/local/BatchRendezvous.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>

namespace pcc::runtime::local {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace

BatchRendezvous::BatchRendezvous(std::vector<int> ranks, WaitPolicy policy, EmulatedLink *link)
    : ranks(std::move(ranks)), policy(policy), link(link), arrivals(this->ranks.size()) {}

void BatchRendezvous::arrive(uint32_t round, int position, std::span<const CollectiveCall> calls) {
  arrivals[position] = calls;
  // Release this member's writes to the member that opens the round; the opener acquires all of
  // them.
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks.size())
    open(round);
}

void BatchRendezvous::gather(size_t call) {
  calls[call].resize(ranks.size());
  for (size_t p = 0; p < ranks.size(); ++p)
    calls[call][p] = &arrivals[p][call];
}

/// Returns whether one member moves the bytes of a round faster than it wakes a sleeper for them.
bool BatchRendezvous::isSmallBatch() const {
  constexpr int64_t maxBytes = 1 << 19; // of all members together; about the time of a wake-up
  int64_t bytes = 0;
  for (const CollectiveCall &call : arrivals[0])
    bytes += call.count() * int64_t(abi::elementBytes(call.type)) * int64_t(ranks.size());
  return bytes <= maxBytes;
}

void BatchRendezvous::open(uint32_t round) {
  outcome = checkCounts(arrivals, ranks);
  firstUnit.assign(1, 0);
  for (size_t c = 0; outcome.ok() && c < arrivals[0].size(); ++c) {
    if (c == calls.size())
      calls.emplace_back();
    gather(c);
    outcome = checkSame(calls[c], ranks);
    firstUnit.push_back(firstUnit.back() + workUnitCount(calls[c]));
  }
  carried = {nowNanoseconds(), 0};
  if (link && outcome.ok())
    carried = link->carry(ranks, link->seconds(arrivals[0], int(ranks.size())), carried.begin);
  int64_t units = outcome.ok() ? firstUnit.back() : 0;
  arrived.store(0, std::memory_order_relaxed);
  nextUnit.store(0, std::memory_order_relaxed);
  unfinished.store(units, std::memory_order_relaxed);
  if (units == 0)
    return finish(round);
  // From the next store on, the other members may finish the round, and their calls may be gone.
  bool isSmall = isSmallBatch();
  phase.store(2 * round + 1, std::memory_order_seq_cst);
  if (isSmall)
    return work(round);
  // This member may have other work than waiting, so wake at least one sleeper.
  int helpers = int(std::max<int64_t>(1, std::min<int64_t>(policy.helpers, units - 1)));
  if (sleepers.load(std::memory_order_seq_cst) > 0)
    wake(phase, helpers);
}

void BatchRendezvous::work(uint32_t round) {
  int64_t units = firstUnit.back();
  for (;;) {
    int64_t unit = nextUnit.fetch_add(1, std::memory_order_relaxed);
    if (unit >= units)
      return;
    size_t call =
        std::upper_bound(firstUnit.begin(), firstUnit.end(), unit) - firstUnit.begin() - 1;
    doWorkUnit(calls[call], unit - firstUnit[call]);
    if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1)
      return finish(round);
  }
}

void BatchRendezvous::finish(uint32_t round) {
  moved = nowNanoseconds();
  phase.store(2 * round + 2, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0)
    wakeAll(phase);
}

Status BatchRendezvous::wait(uint32_t round, const std::atomic<bool> &aborted,
                             TransferInterval &interval) {
  int spins = policy.spins;
  bool worked = false;
  while (!isDone(round)) {
    if (aborted.load(std::memory_order_relaxed))
      return {};
    if (!worked && reached(2 * round + 1)) {
      work(round);
      worked = true;
    } else if (spins-- > 0) {
      relax();
    } else {
      uint32_t seen = phase.load(std::memory_order_acquire);
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      if (int32_t(seen - (2 * round + 2)) < 0 && (worked || seen == 2 * round))
        sleepWhile(phase, seen);
      sleepers.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  interval = link ? carried : TransferInterval{carried.begin, moved};
  sleepUntil(interval.end, aborted);
  return outcome;
}

} // namespace pcc::runtime::local
