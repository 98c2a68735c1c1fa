// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a worklist of nodes. Each runs through its list until it needs a transfer that is not done;
// the end of that transfer wakes it. Only COMPUTE advances the node's clock; communication beside
// it becomes transfers with dependencies. WaitingTimes.cpp resolves waits.

#include "runtime/simulate/VirtualClock.h"

#include <algorithm>

namespace pcc::simulate {

VirtualClock::VirtualClock(const std::vector<FlatProgram> &flatPrograms,
                           const RendezvousNetwork &network, double collectiveShare)
    : flatPrograms(flatPrograms), network(network), collectiveShare(collectiveShare),
      transfers(network) {
  for (const Node &node : network.nodes) {
    const FlatProgram &flatProgram = flatPrograms[node.program];
    State &state = states.emplace_back();
    state.instruction = flatProgram.actions.empty()
                            ? 0
                            : flatProgram.firstOf[flatProgram.actions.front().section()];
    state.signals.resize(flatProgram.isNumbered.size());
    state.numbered.resize(flatProgram.isNumbered.size());
    state.hasRun.resize(flatProgram.firstOf.size());
    state.latest.resize(flatProgram.instructions.size(), noTransfer);
    state.counts.resize(flatProgram.instructions.size());
    state.timeline.program = node.program;
    state.timeline.ranks = node.ranks;
    state.timeline.spans.resize(flatProgram.countRuns(), never);
    if (!flatProgram.actions.empty())
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
      return {int(node), states[node].action, states[node].instruction};
  for (uint32_t transfer = 0; transfer < transfers.size(); ++transfer)
    if (!transfers[transfer].isDone)
      return {int(transfers[transfer].node), transfers[transfer].action,
              transfers[transfer].instruction};
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
  for (uint32_t transfer : done) {
    const Transfer &over = transfers[transfer];
    State &state = states[over.node];
    Span span{over.begin, over.end};
    state.timeline.spans[over.run] = span;
    state.moves.push_back(span);
    bool isLater = over.end > state.lastEnd ||
                   (over.end == state.lastEnd && (state.lastTransfer == noTransfer ||
                                                  over.run > transfers[state.lastTransfer].run));
    if (isLater) {
      state.lastEnd = over.end;
      state.lastTransfer = transfer;
    }
    if (state.waitsFor == transfer)
      wake(over.node);
  }
  done.clear();
}

void VirtualClock::advance(uint32_t node) {
  states[node].waitsFor = noTransfer;
  while (!isAtEnd(node) && runInstruction(node))
    ;
}

/// Runs the current instruction of the list. Returns false if the node must wait there.
bool VirtualClock::runInstruction(uint32_t node) {
  State &state = states[node];
  const FlatInstruction &entry = flatProgramOf(node).instructions[state.instruction];
  if (!entry.communicates())
    return compute(node);
  if (network.nodes[node].rendezvousOf[state.instruction] < 0) {
    signal(node, entry, {});
    stepOver(node, 1);
    return true;
  }
  if (entry.stream == abi::COMPUTE)
    return runRendezvous(node);
  launchBeside(node);
  return true;
}

/// Advances the list by `instructions` instructions of a section.
void VirtualClock::stepOver(uint32_t node, uint32_t instructions) {
  State &state = states[node];
  const FlatProgram &flatProgram = flatProgramOf(node);
  state.run += instructions;
  state.instruction += instructions;
  while (state.instruction ==
         flatProgram.firstOf[flatProgram.actions[state.action].section() + 1]) {
    state.hasRun[flatProgram.actions[state.action].section()] = true;
    state.actionBegin = state.clock;
    if (++state.action == flatProgram.actions.size())
      return;
    state.instruction = flatProgram.firstOf[flatProgram.actions[state.action].section()];
  }
}

bool VirtualClock::compute(uint32_t node) {
  State &state = states[node];
  const FlatProgram &flatProgram = flatProgramOf(node);
  const FlatInstruction &entry = flatProgram.instructions[state.instruction];
  Awaited awaited;
  if (!await(node, entry, awaited))
    return false;
  waitUntil(node, awaited);
  double seconds =
      state.hasRun[flatProgram.actions[state.action].section()] ? entry.later : entry.first;
  Span span{state.clock, state.clock + seconds};
  state.timeline.spans[state.run] = span;
  state.timeline.seconds.compute += seconds;
  state.lastComputed = state.run;
  if (!state.busy.empty() && state.busy.back().end == span.begin)
    state.busy.back().end = span.end;
  else
    state.busy.push_back(span);
  state.clock = span.end;
  signal(node, entry, {span.end});
  stepOver(node, 1);
  return true;
}

/// Adds a transfer for the instruction that is `ahead` positions after the current one.
uint32_t VirtualClock::addTransfer(uint32_t node, uint32_t ahead) {
  State &state = states[node];
  uint32_t instruction = state.instruction + ahead;
  return transfers.add(
      {.node = node,
       .instruction = instruction,
       .action = uint32_t(state.action),
       .run = state.run + ahead,
       .rendezvous = uint32_t(network.nodes[node].rendezvousOf[instruction]),
       .count = state.counts[flatProgramOf(node).instructions[instruction].counter]++,
       .seconds = network.nodes[node].seconds[instruction],
       .gap = network.nodes[node].gaps[instruction]});
}

void VirtualClock::launchBeside(uint32_t node) {
  State &state = states[node];
  const FlatInstruction &entry = flatProgramOf(node).instructions[state.instruction];
  uint32_t transfer = addTransfer(node, 0);
  for (const Wait &wait : entry.waits) {
    Signal signal = signalOf(node, wait);
    if (signal.transfer == noTransfer)
      transfers.arriveAfter(transfer, signal.time);
    else
      transfers.follow(transfer, signal.transfer);
  }
  if (entry.stream == abi::COMMUNICATION) {
    transfers.arriveAfter(transfer, state.actionBegin);
    if (!state.stream.empty())
      transfers.follow(transfer, state.stream.back());
    state.stream.push_back(transfer);
    transfers.setPosition(transfer, uint32_t(state.stream.size()));
  } else {
    uint32_t &latest = state.latest[entry.message];
    if (latest != noTransfer)
      transfers.arriveAfterArrivalOf(transfer, latest);
    latest = transfer;
  }
  signal(node, entry, {0, transfer});
  transfers.launch(transfer, done);
  stepOver(node, 1);
}

/// Runs a collective on COMPUTE, or messages there that begin together. Returns false while they
/// are not done.
bool VirtualClock::runRendezvous(uint32_t node) {
  State &state = states[node];
  const FlatProgram &flatProgram = flatProgramOf(node);
  uint32_t end = flatProgram.firstOf[flatProgram.actions[state.action].section() + 1];
  uint32_t instructions = 1;
  while (state.instruction + instructions < end &&
         flatProgram.instructions[state.instruction + instructions].joins)
    ++instructions;
  if (state.firstTransfer == noTransfer) {
    Awaited awaited;
    for (uint32_t i = 0; i < instructions; ++i)
      if (!await(node, flatProgram.instructions[state.instruction + i], awaited))
        return false;
    waitUntil(node, awaited);
    beginRendezvous(node, instructions);
  }
  for (uint32_t transfer = state.firstTransfer; transfer < state.endTransfer; ++transfer)
    if (!transfers[transfer].isDone) {
      state.waitsFor = transfer;
      return false;
    }
  endRendezvous(node, instructions);
  return true;
}

void VirtualClock::beginRendezvous(uint32_t node, uint32_t instructions) {
  State &state = states[node];
  state.firstTransfer = transfers.size();
  for (uint32_t i = 0; i < instructions; ++i)
    if (network.nodes[node].rendezvousOf[state.instruction + i] >= 0)
      transfers.arriveAfter(addTransfer(node, i), state.clock);
  state.endTransfer = transfers.size();
  for (uint32_t transfer = state.firstTransfer; transfer < state.endTransfer; ++transfer)
    transfers.launch(transfer, done);
}

void VirtualClock::endRendezvous(uint32_t node, uint32_t instructions) {
  State &state = states[node];
  const Transfer *last = &transfers[state.firstTransfer];
  for (uint32_t transfer = state.firstTransfer; transfer < state.endTransfer; ++transfer)
    if (transfers[transfer].end > last->end)
      last = &transfers[transfer];
  Seconds &seconds = state.timeline.seconds;
  spendWaiting(state, last->begin - state.clock,
               flatProgramOf(node).instructions[last->instruction].kind);
  seconds.communication += last->end - last->begin;
  state.clock = last->end;
  state.firstTransfer = state.endTransfer = noTransfer;
  for (uint32_t i = 0; i < instructions; ++i)
    signal(node, flatProgramOf(node).instructions[state.instruction + i], {state.clock});
  stepOver(node, instructions);
}

} // namespace pcc::simulate
