// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers in progress: runs of collectives and messages. A transfer arrives at its rendezvous
// when all transfers that it follows are done. The rendezvous begins when its last member has
// arrived, and is done for all members when the bytes have moved. Messages of one channel arrive
// and move in order. Each may follow the one before it after the time that its bytes take, without
// the latency (LogGP, as in CollectiveCost.h).

#pragma once

#include "runtime/simulate/RankClasses.h"

#include <cstdint>
#include <vector>

namespace pcc::simulate {

inline constexpr uint32_t noTransfer = ~0u;

struct Transfer {
  uint32_t node = 0, instruction = 0, action = 0;
  size_t run = 0;
  /// Rendezvous id, sequence number in it, duration, and minimum distance to the next begin.
  uint32_t rendezvous = 0, count = 0;
  double seconds = 0, gap = 0;
  /// Position on the stream COMMUNICATION, from 1; 0 on other streams.
  uint32_t position = 0;
  /// The transfer whose end determined the arrival; none if COMPUTE, or nothing, determined it.
  uint32_t cause = noTransfer;
  /// Arrival time as far as known, begin and end of the movement.
  double arrival = 0, begin = 0, end = 0;
  bool isDone = false;

  /// Number of open dependencies. Linked lists of the transfers that wait for this one and of those
  /// at the same rendezvous. The next run, which arrives no sooner than this one.
  uint32_t open = 1;
  uint32_t firstFollower = noTransfer, nextAtRendezvous = noTransfer, next = noTransfer;
  bool hasArrived = false;
};

class Transfers {
public:
  explicit Transfers(const RendezvousNetwork &network)
      : network(network), allRendezvous(network.members.size()) {}

  const Transfer &operator[](uint32_t transfer) const { return transfers[transfer]; }
  uint32_t size() const { return uint32_t(transfers.size()); }

  uint32_t add(const Transfer &transfer) {
    transfers.push_back(transfer);
    return size() - 1;
  }
  void setPosition(uint32_t transfer, uint32_t position) {
    transfers[transfer].position = position;
  }
  /// Delays the arrival to `time`, when `cause` is done. follow: to the end of `other`.
  void arriveAfter(uint32_t transfer, double time, uint32_t cause = noTransfer);
  void follow(uint32_t transfer, uint32_t other);
  /// Delays the arrival to the arrival of `other`, the previous run. No other transfer may use the
  /// same `other`.
  void arriveAfterArrivalOf(uint32_t transfer, uint32_t other);
  /// Launches a transfer whose dependencies are all stated. Adds the transfers that are done as a
  /// result to `done`.
  void launch(uint32_t transfer, std::vector<uint32_t> &done);

private:
  struct Rendezvous {
    uint32_t arrived = 0;
    uint32_t first = noTransfer;
    double begin = 0;
  };
  struct Follower {
    uint32_t transfer, next;
  };
  void release(uint32_t transfer);
  void arrive(uint32_t transfer, std::vector<uint32_t> &done);
  void finish(uint32_t transfer, double begin, std::vector<uint32_t> &done);

  const RendezvousNetwork &network;
  std::vector<Transfer> transfers;
  std::vector<Follower> followers;
  /// By rendezvous and sequence number.
  std::vector<std::vector<Rendezvous>> allRendezvous;
  std::vector<uint32_t> ready;
};

} // namespace pcc::simulate
