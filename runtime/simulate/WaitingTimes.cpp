// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the waits of a node of the virtual clock, and attributes its seconds to their causes.

#include "runtime/abi/program/Waits.h"
#include "runtime/simulate/VirtualClock.h"

#include <algorithm>

namespace pcc::simulate {
namespace {

/// Returns the same times as ascending spans that do not overlap.
std::vector<Span> uniteSpans(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span &a, const Span &b) { return a.begin < b.begin; });
  std::vector<Span> united;
  for (const Span &span : spans)
    if (united.empty() || span.begin > united.back().end)
      united.push_back(span);
    else
      united.back().end = std::max(united.back().end, span.end);
  return united;
}

/// Returns the length of `span` that lies in `busy`, whose spans ascend and do not overlap.
double lengthBeside(const std::vector<Span> &busy, const Span &span) {
  auto endsBefore = [](const Span &each, double time) { return each.end <= time; };
  double length = 0;
  for (auto each = std::lower_bound(busy.begin(), busy.end(), span.begin, endsBefore);
       each != busy.end() && each->begin < span.end; ++each)
    length += std::min(each->end, span.end) - std::max(each->begin, span.begin);
  return length;
}

} // namespace

VirtualClock::Signal VirtualClock::signalOf(uint32_t node, const Wait &wait) const {
  const State &state = states[node];
  if (wait.behind == 0)
    return state.signals[wait.event];
  std::optional<uint64_t> number =
      abi::awaitedNumber(wait.behind, flatProgramOf(node).numbers[state.action]);
  if (!number)
    return {};
  auto known = state.numbered[wait.event].find(*number);
  return known == state.numbered[wait.event].end() ? Signal() : known->second;
}

/// Signals the events of the current instruction.
void VirtualClock::signal(uint32_t node, const FlatInstruction &entry, const Signal &signal) {
  State &state = states[node];
  const FlatProgram &flatProgram = flatProgramOf(node);
  for (uint32_t event : entry.signals) {
    state.signals[event] = signal;
    if (flatProgram.isNumbered[event])
      state.numbered[event][flatProgram.numbers[state.action]] = signal;
  }
}

/// Collects the transfers that the instruction waits for. Returns false if one of them is not done.
bool VirtualClock::await(uint32_t node, const FlatInstruction &entry, Awaited &awaited) {
  State &state = states[node];
  for (const Wait &wait : entry.waits) {
    uint32_t transfer = signalOf(node, wait).transfer;
    if (transfer == noTransfer)
      continue; // signaled by COMPUTE, so it is done
    const Transfer &other = transfers[transfer];
    if (!other.isDone) {
      state.waitsFor = transfer;
      return false;
    }
    awaited.position = std::max(awaited.position, other.position);
    if (awaited.transfer == noTransfer || other.end > awaited.time) {
      awaited.time = other.end;
      awaited.transfer = transfer;
    }
  }
  return true;
}

/// Adds waiting time to the cause `kind`.
void VirtualClock::spendWaiting(State &state, double time, abi::CollectiveKind kind) {
  Seconds &seconds = state.timeline.seconds;
  switch (kind) {
  case abi::SEND:
    seconds.send += time;
    break;
  case abi::RECV:
    (state.action == 0 ? seconds.warmUp : seconds.receive) += time;
    break;
  default:
    seconds.collective += time;
  }
}

/// Attributes the time from the clock to the end of a transfer: after its arrival to itself, before
/// to the transfers that it followed.
void VirtualClock::spendWaiting(State &state, uint32_t transfer) const {
  for (double until = transfers[transfer].end; transfer != noTransfer && until > state.clock;) {
    const Transfer &own = transfers[transfer];
    double from =
        own.cause == noTransfer ? state.clock : std::clamp(own.arrival, state.clock, until);
    spendWaiting(state, until - from, kindOf(transfer));
    until = from;
    transfer = own.cause;
  }
}

void VirtualClock::waitUntil(uint32_t node, const Awaited &awaited) {
  State &state = states[node];
  slowDown(state, awaited.position);
  if (awaited.time <= state.clock)
    return;
  spendWaiting(state, awaited.transfer);
  state.clock = awaited.time;
}

/// Adds the slowdown by the collectives on COMMUNICATION up to `position`, which are known to be
/// done. Computation beside them took longer; the last computation is extended.
void VirtualClock::slowDown(State &state, uint32_t position) {
  double beside = 0;
  for (; state.known < position; ++state.known)
    if (collectiveShare > 0) {
      const Transfer &over = transfers[state.stream[state.known]];
      beside += lengthBeside(state.busy, {over.begin, over.end});
    }
  double lost = beside * collectiveShare;
  state.timeline.seconds.compute += lost;
  state.timeline.seconds.slowed += lost;
  if (Span &last = state.timeline.spans[state.lastComputed]; lost > 0 && last.end == state.clock)
    last.end += lost;
  state.clock += lost;
}

void VirtualClock::close(State &state, double end) {
  Timeline &timeline = state.timeline;
  if (state.lastEnd > state.clock)
    spendWaiting(state, state.lastTransfer);
  timeline.seconds.drain = end - std::max(state.clock, state.lastEnd);
  for (const Span &span : uniteSpans(std::move(state.moves))) {
    timeline.moving += span.length();
    timeline.hidden += lengthBeside(state.busy, span);
  }
}

std::vector<Timeline> VirtualClock::takeTimelines() {
  double end = 0;
  for (State &state : states) {
    slowDown(state, uint32_t(state.stream.size()));
    end = std::max({end, state.clock, state.lastEnd});
  }
  std::vector<Timeline> timelines;
  for (State &state : states) {
    close(state, end);
    timelines.push_back(std::move(state.timeline));
  }
  return timelines;
}

} // namespace pcc::simulate
