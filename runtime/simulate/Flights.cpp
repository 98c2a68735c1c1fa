// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/Flights.h"

#include <algorithm>

namespace pcc::simulate {

/// Updates the arrival to a later time and its cause. Of causes at equal times, the last one in the
/// list wins, so the order of calls does not matter.
void Flights::comeAfter(uint32_t flight, double time, uint32_t cause) {
  Flight &own = flights[flight];
  bool isLater = time > own.came;
  if (time == own.came && cause != noFlight)
    isLater = own.cause == noFlight || flights[own.cause].run < flights[cause].run;
  if (!isLater)
    return;
  own.came = time;
  own.cause = cause;
}

void Flights::follow(uint32_t flight, uint32_t other) {
  if (flights[other].isDone)
    return comeAfter(flight, flights[other].end, other);
  ++flights[flight].open;
  followers.push_back({flight, flights[other].firstFollower});
  flights[other].firstFollower = uint32_t(followers.size()) - 1;
}

void Flights::comeBehind(uint32_t flight, uint32_t other) {
  if (flights[other].hasCome)
    return comeAfter(flight, flights[other].came, flights[other].cause);
  ++flights[flight].open;
  flights[other].next = flight;
}

void Flights::launch(uint32_t flight, std::vector<uint32_t> &done) {
  release(flight);
  while (!ready.empty()) {
    uint32_t next = ready.back();
    ready.pop_back();
    arrive(next, done);
  }
}

void Flights::release(uint32_t flight) {
  if (--flights[flight].open == 0)
    ready.push_back(flight);
}

void Flights::arrive(uint32_t flight, std::vector<uint32_t> &done) {
  Flight &own = flights[flight];
  std::vector<Meeting> &runs = meetings[own.meeting];
  if (runs.size() <= own.count)
    runs.resize(own.count + 1);
  Meeting &meeting = runs[own.count];
  own.nextThere = meeting.first;
  meeting.first = flight;
  meeting.begin = std::max(meeting.begin, own.came);
  own.hasCome = true;
  if (own.next != noFlight) {
    comeAfter(own.next, own.came, own.cause);
    release(own.next);
  }
  if (++meeting.arrived < network.members[own.meeting])
    return;
  if (own.gap > 0 && own.count > 0)
    meeting.begin = std::max(meeting.begin, runs[own.count - 1].begin + own.gap);
  for (uint32_t each = meeting.first; each != noFlight; each = flights[each].nextThere)
    finish(each, meeting.begin, done);
}

void Flights::finish(uint32_t flight, double begin, std::vector<uint32_t> &done) {
  Flight &own = flights[flight];
  own.begin = begin;
  own.end = begin + own.seconds;
  own.isDone = true;
  done.push_back(flight);
  for (uint32_t i = own.firstFollower; i != noFlight; i = followers[i].next) {
    comeAfter(followers[i].flight, own.end, flight);
    release(followers[i].flight);
  }
}

} // namespace pcc::simulate
