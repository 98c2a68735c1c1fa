// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the run of RendezvousState.h with a worklist of ranks. Each rank advances until it
// must wait. The arrival that completes a rendezvous puts its ranks on the worklist again.

#include "runtime/check/match/RendezvousState.h"

#include "runtime/abi/program/ProgramRanks.h"

#include <algorithm>

namespace pcc::check {

RendezvousState::RendezvousState(const std::vector<ProgramIndex> &programs,
                                 const Messages &messages,
                                 const std::vector<RendezvousSchedule> &schedules)
    : programs(programs), messages(messages), schedules(schedules),
      executable(programs.front().executable), sides(messages.channels.size()) {
  for (const RendezvousSchedule &schedule : schedules) {
    std::vector<uint32_t> &stream = streamItems.emplace_back();
    std::vector<uint32_t> &positions = streamPosition.emplace_back(schedule.items.size(), 0);
    for (uint32_t i = 0; i < schedule.items.size(); ++i)
      if (schedule.items[i].stream == abi::COMMUNICATION) {
        positions[i] = uint32_t(stream.size());
        stream.push_back(i);
      }
  }
  int64_t ranks = abi::rankCount(executable.mesh());
  for (int g = 0; g < executable.groups_size(); ++g) {
    std::vector<uint32_t> &lists = listOf.emplace_back(ranks, 0);
    for (int l = 0; l < executable.groups(g).lists_size(); ++l)
      for (uint32_t rank : executable.groups(g).lists(l).ranks())
        lists[rank] = uint32_t(l);
    // The members of a list agree on the number; other lists may run other programs.
    uint32_t maxCollectives = 0;
    for (const RendezvousSchedule &schedule : schedules)
      maxCollectives = std::max(maxCollectives, schedule.collectives[g]);
    collectives.push_back(maxCollectives);
    arrived.emplace_back(size_t(maxCollectives) * executable.groups(g).lists_size(), 0);
  }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int program = abi::programOfRank(executable, rank);
    states.push_back(
        {.program = program,
         .indexInProgram = uint32_t(rank - abi::ranksOfProgram(executable, program).first)});
  }
}

const abi::RankList &RendezvousState::membersOf(int64_t rank, const Call &call) const {
  return executable.groups(call.group).lists(int(listOf[call.group][rank]));
}

size_t RendezvousState::rendezvousOf(int64_t rank, const Call &call) const {
  return size_t(listOf[call.group][rank]) * collectives[call.group] + call.count;
}

bool RendezvousState::isAtEnd(int64_t rank) const {
  const RankState &state = states[rank];
  return state.next == schedules[state.program].items.size() &&
         state.stream == streamItems[state.program].size();
}

bool RendezvousState::isDone(int64_t rank, const Call &call) const {
  if (call.group >= 0)
    return arrived[call.group][rendezvousOf(rank, call)] == membersOf(rank, call).ranks_size();
  int32_t channel = channelOf(rank, call);
  return channel < 0 || std::min(sides[channel].sends, sides[channel].receives) > call.count;
}

bool RendezvousState::isDone(int64_t rank, uint32_t item) const {
  const RankState &state = states[rank];
  const Item &asked = schedules[state.program].items[item];
  if (asked.stream == abi::COMMUNICATION)
    return state.stream > streamPosition[state.program][item];
  return std::all_of(asked.calls.begin(), asked.calls.end(),
                     [&](const Call &call) { return isDone(rank, call); });
}

void RendezvousState::begin(int64_t rank, const Item &item) {
  for (const Call &call : item.calls)
    arrive(rank, call);
}

void RendezvousState::arrive(int64_t rank, const Call &call) {
  if (call.group >= 0) {
    ++arrived[call.group][rendezvousOf(rank, call)];
    if (isDone(rank, call))
      for (uint32_t member : membersOf(rank, call).ranks())
        wake(member);
    return;
  }
  int32_t channel = channelOf(rank, call);
  if (channel < 0)
    return;
  bool sends = messages.channels[channel].sender == rank;
  ++(sends ? sides[channel].sends : sides[channel].receives);
  if (isDone(rank, call)) {
    wake(messages.channels[channel].sender);
    wake(messages.channels[channel].receiver);
  }
}

void RendezvousState::wake(int64_t rank) {
  if (states[rank].isListed)
    return;
  states[rank].isListed = true;
  work.push_back(rank);
}

bool RendezvousState::run() {
  for (int64_t rank = ranks(); rank-- > 0;)
    wake(rank);
  while (!work.empty()) {
    int64_t rank = work.back();
    work.pop_back();
    states[rank].isListed = false;
    advance(rank);
  }
  for (int64_t rank = 0; rank < ranks(); ++rank)
    if (!isAtEnd(rank))
      return false;
  return true;
}

void RendezvousState::advance(int64_t rank) {
  bool moved = true;
  while (moved) {
    moved = advanceStream(rank);
    moved |= advanceList(rank);
  }
}

/// Ends the completed items of the stream COMMUNICATION, and begins the next ones that the list has
/// passed.
bool RendezvousState::advanceStream(int64_t rank) {
  RankState &state = states[rank];
  const std::vector<uint32_t> &stream = streamItems[state.program];
  const std::vector<Item> &items = schedules[state.program].items;
  bool moved = false;
  while (state.stream < stream.size() && stream[state.stream] < state.next) {
    const Item &item = items[stream[state.stream]];
    if (!state.streamBegun) {
      state.streamBegun = moved = true;
      begin(rank, item);
    }
    bool isOver = std::all_of(item.calls.begin(), item.calls.end(),
                              [&](const Call &call) { return isDone(rank, call); });
    if (!isOver)
      return moved;
    ++state.stream;
    state.streamBegun = false;
  }
  return moved;
}

/// Advances the list past all items that are ready.
bool RendezvousState::advanceList(int64_t rank) {
  RankState &state = states[rank];
  const std::vector<Item> &items = schedules[state.program].items;
  uint32_t first = state.next;
  while (state.next < items.size()) {
    const Item &item = items[state.next];
    if (!state.begun) {
      bool isReady = std::all_of(item.waits.begin(), item.waits.end(),
                                 [&](uint32_t other) { return isDone(rank, other); });
      if (!isReady)
        break;
      if (item.stream != abi::COMMUNICATION) // that stream begins its own items
        begin(rank, item);
      state.begun = true;
    }
    if (item.stream == abi::COMPUTE && !isDone(rank, state.next))
      break;
    ++state.next;
    state.begun = false;
  }
  return state.next != first;
}

} // namespace pcc::check
