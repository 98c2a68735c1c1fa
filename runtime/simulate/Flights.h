// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of collectives and messages. A flight comes to its meeting when all that it follows is done;
// the meeting begins when the last of its members has come, and is over for all of them when the
// bytes have moved. Messages of one channel come and move in their order: each may follow the one
// before it after the time that its bytes take, without the latency (LogGP, as in
// CollectivePrice.h).

#ifndef PCC_RUNTIME_SIMULATE_FLIGHTS_H
#define PCC_RUNTIME_SIMULATE_FLIGHTS_H

#include "runtime/simulate/Network.h"

#include <cstdint>
#include <vector>

namespace pcc::simulate {

inline constexpr uint32_t noFlight = ~0u;

struct Flight {
  uint32_t node = 0, record = 0, slot = 0;
  size_t run = 0;
  /// Its meeting, the how-manieth of it, how long it moves, and how long it keeps the next one.
  uint32_t meeting = 0, count = 0;
  double seconds = 0, gap = 0;
  /// Of COMMUNICATION: its place on the lane, from 1; 0 on others.
  uint32_t place = 0;
  /// The flight whose end it came at; none where it came when COMPUTE, or nothing, let it.
  uint32_t cause = noFlight;
  /// When it came, as far as is known, when it moves.
  double came = 0, begin = 0, end = 0;
  bool isDone = false;

  /// How much it waits for; lists of those who come when it is done, and to the same meeting; who
  /// comes when it has come.
  uint32_t open = 1;
  uint32_t firstFollower = noFlight, nextThere = noFlight, next = noFlight;
  bool hasCome = false;
};

class Flights {
public:
  explicit Flights(const Network &network) : network(network), meetings(network.members.size()) {}

  const Flight &operator[](uint32_t flight) const { return flights[flight]; }
  uint32_t size() const { return uint32_t(flights.size()); }

  uint32_t add(const Flight &flight) {
    flights.push_back(flight);
    return size() - 1;
  }
  void setPlace(uint32_t flight, uint32_t place) { flights[flight].place = place; }
  /// It comes no sooner than at `time`, when `cause` is done; than when `other` is done.
  void comeAfter(uint32_t flight, double time, uint32_t cause = noFlight);
  void follow(uint32_t flight, uint32_t other);
  /// It comes no sooner than `other`, its run before, which no other flight comes behind.
  void comeBehind(uint32_t flight, uint32_t other);
  /// Everything that it follows is said. Flights that are done by that are added to `done`.
  void launch(uint32_t flight, std::vector<uint32_t> &done);

private:
  struct Meeting {
    uint32_t arrived = 0;
    uint32_t first = noFlight;
    double begin = 0;
  };
  struct Follower {
    uint32_t flight, next;
  };
  void release(uint32_t flight);
  void arrive(uint32_t flight, std::vector<uint32_t> &done);
  void finish(uint32_t flight, double begin, std::vector<uint32_t> &done);

  const Network &network;
  std::vector<Flight> flights;
  std::vector<Follower> followers;
  /// By meeting and count.
  std::vector<std::vector<Meeting>> meetings;
  std::vector<uint32_t> ready;
};

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_FLIGHTS_H
