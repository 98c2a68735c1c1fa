// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/VirtualClock.h"

#include <algorithm>

namespace pcc::simulate {

VirtualClock::VirtualClock(const std::vector<Script> &scripts, const Network &network,
                           double collectiveShare)
    : scripts(scripts), network(network), collectiveShare(collectiveShare), flights(network) {
  for (const Node &node : network.nodes) {
    const Script &script = scripts[node.program];
    State &state = states.emplace_back();
    state.record = script.slots.empty() ? 0 : script.firstOf[script.slots.front().section()];
    state.signals.resize(script.isNumbered.size());
    state.numbered.resize(script.isNumbered.size());
    state.hasRun.resize(script.firstOf.size());
    state.latest.resize(script.actions.size(), noFlight);
    state.counts.resize(script.actions.size());
    state.timeline.program = node.program;
    state.timeline.ranks = node.ranks;
    state.timeline.spans.resize(script.countRuns(), never);
    if (!script.slots.empty())
      stepOver(uint32_t(states.size()) - 1, 0); // over sections without instructions
  }
}

bool VirtualClock::run() {
  for (uint32_t node = uint32_t(states.size()); node-- > 0;)
    wake(node);
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    states[node].isListed = false;
    advance(node);
    settle();
  }
  return findStop().node < 0;
}

VirtualClock::Stop VirtualClock::findStop() const {
  for (uint32_t node = 0; node < states.size(); ++node)
    if (!isAtEnd(node))
      return {int(node), states[node].slot, states[node].record};
  for (uint32_t flight = 0; flight < flights.size(); ++flight)
    if (!flights[flight].isDone)
      return {int(flights[flight].node), flights[flight].slot, flights[flight].record};
  return {};
}

void VirtualClock::wake(uint32_t node) {
  if (states[node].isListed)
    return;
  states[node].isListed = true;
  work.push_back(node);
}

/// Stores completed transfers, and wakes the nodes that waited for them.
void VirtualClock::settle() {
  for (uint32_t flight : done) {
    const Flight &over = flights[flight];
    State &state = states[over.node];
    Span span{over.begin, over.end};
    state.timeline.spans[over.run] = span;
    state.moves.push_back(span);
    bool isLater = over.end > state.lastEnd ||
                   (over.end == state.lastEnd &&
                    (state.lastFlight == noFlight || over.run > flights[state.lastFlight].run));
    if (isLater) {
      state.lastEnd = over.end;
      state.lastFlight = flight;
    }
    if (state.waitsFor == flight)
      wake(over.node);
  }
  done.clear();
}

void VirtualClock::advance(uint32_t node) {
  states[node].waitsFor = noFlight;
  while (!isAtEnd(node) && runRecord(node))
    ;
}

/// Runs the current instruction of the list. Returns false if the node must wait there.
bool VirtualClock::runRecord(uint32_t node) {
  State &state = states[node];
  const Action &action = scriptOf(node).actions[state.record];
  if (!action.meets())
    return compute(node);
  if (network.nodes[node].meetings[state.record] < 0) {
    signal(node, action, {});
    stepOver(node, 1);
    return true;
  }
  if (action.lane == abi::COMPUTE)
    return meet(node);
  launchBeside(node);
  return true;
}

/// Advances the list by `records` instructions of a section.
void VirtualClock::stepOver(uint32_t node, uint32_t records) {
  State &state = states[node];
  const Script &script = scriptOf(node);
  state.run += records;
  state.record += records;
  while (state.record == script.firstOf[script.slots[state.slot].section() + 1]) {
    state.hasRun[script.slots[state.slot].section()] = true;
    state.slotBegin = state.clock;
    if (++state.slot == script.slots.size())
      return;
    state.record = script.firstOf[script.slots[state.slot].section()];
  }
}

bool VirtualClock::compute(uint32_t node) {
  State &state = states[node];
  const Script &script = scriptOf(node);
  const Action &action = script.actions[state.record];
  Awaited awaited;
  if (!await(node, action, awaited))
    return false;
  waitUntil(node, awaited);
  double seconds = state.hasRun[script.slots[state.slot].section()] ? action.later : action.first;
  Span span{state.clock, state.clock + seconds};
  state.timeline.spans[state.run] = span;
  state.timeline.seconds.compute += seconds;
  state.lastComputed = state.run;
  if (!state.busy.empty() && state.busy.back().end == span.begin)
    state.busy.back().end = span.end;
  else
    state.busy.push_back(span);
  state.clock = span.end;
  signal(node, action, {span.end});
  stepOver(node, 1);
  return true;
}

/// Adds a transfer for the instruction that is `ahead` positions after the current one.
uint32_t VirtualClock::addFlight(uint32_t node, uint32_t ahead) {
  State &state = states[node];
  uint32_t record = state.record + ahead;
  return flights.add({.node = node,
                      .record = record,
                      .slot = uint32_t(state.slot),
                      .run = state.run + ahead,
                      .meeting = uint32_t(network.nodes[node].meetings[record]),
                      .count = state.counts[scriptOf(node).actions[record].counter]++,
                      .seconds = network.nodes[node].seconds[record],
                      .gap = network.nodes[node].gaps[record]});
}

void VirtualClock::launchBeside(uint32_t node) {
  State &state = states[node];
  const Action &action = scriptOf(node).actions[state.record];
  uint32_t flight = addFlight(node, 0);
  for (const Wait &wait : action.waits) {
    Signal signal = signalOf(node, wait);
    if (signal.flight == noFlight)
      flights.comeAfter(flight, signal.time);
    else
      flights.follow(flight, signal.flight);
  }
  if (action.lane == abi::COMMUNICATION) {
    flights.comeAfter(flight, state.slotBegin);
    if (!state.lane.empty())
      flights.follow(flight, state.lane.back());
    state.lane.push_back(flight);
    flights.setPlace(flight, uint32_t(state.lane.size()));
  } else {
    uint32_t &latest = state.latest[action.message];
    if (latest != noFlight)
      flights.comeBehind(flight, latest);
    latest = flight;
  }
  signal(node, action, {0, flight});
  flights.launch(flight, done);
  stepOver(node, 1);
}

/// Runs a collective on COMPUTE, or messages there that begin together. Returns false while they
/// are not done.
bool VirtualClock::meet(uint32_t node) {
  State &state = states[node];
  const Script &script = scriptOf(node);
  uint32_t end = script.firstOf[script.slots[state.slot].section() + 1];
  uint32_t records = 1;
  while (state.record + records < end && script.actions[state.record + records].joins)
    ++records;
  if (state.firstFlight == noFlight) {
    Awaited awaited;
    for (uint32_t i = 0; i < records; ++i)
      if (!await(node, script.actions[state.record + i], awaited))
        return false;
    waitUntil(node, awaited);
    beginMeeting(node, records);
  }
  for (uint32_t flight = state.firstFlight; flight < state.endFlight; ++flight)
    if (!flights[flight].isDone) {
      state.waitsFor = flight;
      return false;
    }
  endMeeting(node, records);
  return true;
}

void VirtualClock::beginMeeting(uint32_t node, uint32_t records) {
  State &state = states[node];
  state.firstFlight = flights.size();
  for (uint32_t i = 0; i < records; ++i)
    if (network.nodes[node].meetings[state.record + i] >= 0)
      flights.comeAfter(addFlight(node, i), state.clock);
  state.endFlight = flights.size();
  for (uint32_t flight = state.firstFlight; flight < state.endFlight; ++flight)
    flights.launch(flight, done);
}

void VirtualClock::endMeeting(uint32_t node, uint32_t records) {
  State &state = states[node];
  const Flight *last = &flights[state.firstFlight];
  for (uint32_t flight = state.firstFlight; flight < state.endFlight; ++flight)
    if (flights[flight].end > last->end)
      last = &flights[flight];
  Seconds &seconds = state.timeline.seconds;
  spendWaiting(state, last->begin - state.clock, scriptOf(node).actions[last->record].kind);
  seconds.communication += last->end - last->begin;
  state.clock = last->end;
  state.firstFlight = state.endFlight = noFlight;
  for (uint32_t i = 0; i < records; ++i)
    signal(node, scriptOf(node).actions[state.record + i], {state.clock});
  stepOver(node, records);
}

} // namespace pcc::simulate
