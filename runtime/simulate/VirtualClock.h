// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every node goes through its list and runs each record as soon as the rules of lanes allow:
//
//   COMPUTE         one after the other; a record begins when the one before it and all that it
//                   waits for are done; one that meets others keeps the lane until it is over
//   COMMUNICATION   one after the other, each no sooner than its slot begins, which is when the
//                   records of COMPUTE in the slots before are done, and what it waits for is
//   TRANSFER        each when what it waits for is done, be it at the beginning of the step, and no
//                   sooner than its own run before begins
//
// A wait means the last run, in the order of the list, of the record that signals, or its run for
// another microbatch (Record.behind). All times follow
// from others by sums and maxima, so the order in which nodes are gone on with does not matter, and
// nothing needs to be sorted by time. Messages and collectives of different meetings do not take
// bandwidth from each other, beyond what their prices assume (CollectivePrice.h).

#ifndef PCC_RUNTIME_SIMULATE_VIRTUALCLOCK_H
#define PCC_RUNTIME_SIMULATE_VIRTUALCLOCK_H

#include "runtime/simulate/Flights.h"
#include "runtime/simulate/Script.h"
#include "runtime/simulate/Timeline.h"

#include <map>

namespace pcc::simulate {

class VirtualClock {
public:
  /// `scripts` by program; `collectiveShare`: of DeviceFigures.
  VirtualClock(const std::vector<Script> &scripts, const Network &network, double collectiveShare);

  /// Runs all nodes to the end of their lists; false if some wait for one another.
  bool run();

  /// Of nodes that came to their end: their timelines, without memory.
  std::vector<Timeline> takeTimelines();

  /// A node that did not, or -1, and the slot and record where it stands.
  struct Stop {
    int node = -1;
    size_t slot = 0;
    uint32_t record = 0;
  };
  Stop findStop() const;

private:
  /// When an event is signalled, or by which flight.
  struct Signal {
    double time = 0;
    uint32_t flight = noFlight;
  };
  /// What a record waited for last, and the last place on COMMUNICATION that it waited for.
  struct Awaited {
    double time = 0;
    uint32_t flight = noFlight;
    uint32_t place = 0;
  };
  struct State {
    /// Where the list stands.
    size_t slot = 0, run = 0;
    uint32_t record = 0;
    /// The last run on COMPUTE that met nobody.
    size_t lastComputed = 0;
    /// Flights of COMPUTE that are under way there; none: it has not begun.
    uint32_t firstFlight = noFlight, endFlight = noFlight;
    /// The flight for which the list waits.
    uint32_t waitsFor = noFlight;
    bool isListed = false;

    double clock = 0, slotBegin = 0;
    /// By event: its last run; if somebody waits for its run of a number, by number as well. By
    /// section, whether it has run.
    std::vector<Signal> signals = {};
    std::vector<std::map<uint64_t, Signal>> numbered = {};
    std::vector<bool> hasRun = {};
    /// By message: its latest run on TRANSFER; by counter: how many meetings there were.
    std::vector<uint32_t> latest = {}, counts = {};
    /// Flights of COMMUNICATION, and of how many COMPUTE knows that they are done.
    std::vector<uint32_t> lane = {};
    uint32_t known = 0;
    /// The flight that was done last, and when.
    uint32_t lastFlight = noFlight;
    double lastEnd = 0;
    /// While COMPUTE computes, ascending; while flights move.
    std::vector<Span> busy = {}, moves = {};
    Timeline timeline;
  };

  const Script &scriptOf(uint32_t node) const { return scripts[network.nodes[node].program]; }
  bool isAtEnd(uint32_t node) const { return states[node].slot == scriptOf(node).slots.size(); }
  void advance(uint32_t node);
  bool runRecord(uint32_t node);
  bool compute(uint32_t node);
  bool meet(uint32_t node);
  void beginMeeting(uint32_t node, uint32_t records);
  void endMeeting(uint32_t node, uint32_t records);
  void launchBeside(uint32_t node);
  uint32_t addFlight(uint32_t node, uint32_t ahead);
  Signal signalOf(uint32_t node, const Wait &wait) const;
  void signal(uint32_t node, const Action &action, const Signal &signal);
  bool await(uint32_t node, const Action &action, Awaited &awaited);
  void waitUntil(uint32_t node, const Awaited &awaited);
  void spendWaiting(State &state, uint32_t flight) const;
  static void spendWaiting(State &state, double time, abi::CollectiveKind kind);
  void slowDown(State &state, uint32_t place);
  void stepOver(uint32_t node, uint32_t records);
  void settle();
  void wake(uint32_t node);
  void close(State &state, double end);
  abi::CollectiveKind kindOf(uint32_t flight) const {
    return scriptOf(flights[flight].node).actions[flights[flight].record].kind;
  }

  const std::vector<Script> &scripts;
  const Network &network;
  const double collectiveShare;
  Flights flights;
  std::vector<State> states;
  std::vector<uint32_t> work, done;
};

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_VIRTUALCLOCK_H
