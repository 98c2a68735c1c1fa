// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the open dependencies of each transfer; it arrives when none is left. The last arrival at
// a rendezvous finishes all its transfers and releases their followers. A list of ready transfers
// replaces recursion.

#include "runtime/simulate/VirtualClock.h"

#include <algorithm>

namespace pcc::simulate {

/// Updates the arrival to a later time and its cause. Of causes at equal times, the last one in the
/// list wins, so the order of calls does not matter.
void Transfers::arriveAfter(uint32_t transfer, double time, uint32_t cause) {
  Transfer &own = transfers[transfer];
  bool isLater = time > own.arrival;
  if (time == own.arrival && cause != noTransfer)
    isLater = own.cause == noTransfer || transfers[own.cause].run < transfers[cause].run;
  if (!isLater)
    return;
  own.arrival = time;
  own.cause = cause;
}

void Transfers::follow(uint32_t transfer, uint32_t other) {
  if (transfers[other].isDone)
    return arriveAfter(transfer, transfers[other].end, other);
  ++transfers[transfer].open;
  followers.push_back({transfer, transfers[other].firstFollower});
  transfers[other].firstFollower = uint32_t(followers.size()) - 1;
}

void Transfers::arriveAfterArrivalOf(uint32_t transfer, uint32_t other) {
  if (transfers[other].hasArrived)
    return arriveAfter(transfer, transfers[other].arrival, transfers[other].cause);
  ++transfers[transfer].open;
  transfers[other].next = transfer;
}

void Transfers::launch(uint32_t transfer, std::vector<uint32_t> &done) {
  release(transfer);
  while (!ready.empty()) {
    uint32_t next = ready.back();
    ready.pop_back();
    arrive(next, done);
  }
}

void Transfers::release(uint32_t transfer) {
  if (--transfers[transfer].open == 0)
    ready.push_back(transfer);
}

void Transfers::arrive(uint32_t transfer, std::vector<uint32_t> &done) {
  Transfer &own = transfers[transfer];
  std::vector<Rendezvous> &runs = allRendezvous[own.rendezvous];
  if (runs.size() <= own.count)
    runs.resize(own.count + 1);
  Rendezvous &rendezvous = runs[own.count];
  own.nextAtRendezvous = rendezvous.first;
  rendezvous.first = transfer;
  rendezvous.begin = std::max(rendezvous.begin, own.arrival);
  own.hasArrived = true;
  if (own.next != noTransfer) {
    arriveAfter(own.next, own.arrival, own.cause);
    release(own.next);
  }
  if (++rendezvous.arrived < network.members[own.rendezvous])
    return;
  if (own.gap > 0 && own.count > 0)
    rendezvous.begin = std::max(rendezvous.begin, runs[own.count - 1].begin + own.gap);
  for (uint32_t each = rendezvous.first; each != noTransfer;
       each = transfers[each].nextAtRendezvous)
    finish(each, rendezvous.begin, done);
}

void Transfers::finish(uint32_t transfer, double begin, std::vector<uint32_t> &done) {
  Transfer &own = transfers[transfer];
  own.begin = begin;
  own.end = begin + own.seconds;
  own.isDone = true;
  done.push_back(transfer);
  for (uint32_t i = own.firstFollower; i != noTransfer; i = followers[i].next) {
    arriveAfter(followers[i].transfer, own.end, transfer);
    release(followers[i].transfer);
  }
}

} // namespace pcc::simulate
