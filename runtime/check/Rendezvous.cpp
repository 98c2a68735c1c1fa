// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the schedules, and explains a deadlock by the cycle of ranks that wait for each other.

#include "runtime/check/Rendezvous.h"

#include "runtime/abi/Stages.h"
#include "runtime/check/Names.h"
#include "runtime/check/RendezvousState.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::check {
namespace {

/// Why a rank's list, or its stream COMMUNICATION, does not advance.
struct Block {
  int64_t rank;
  bool isLane;
  /// The current item, and the item whose rendezvous is not complete.
  const Item *at;
  const Item *meeting;
  const Call *call;
  /// The rank that has not arrived.
  int64_t missing;
};

class Detective {
public:
  Detective(const std::vector<ProgramIndex> &programs, const Messages &messages,
            const RendezvousState &state)
      : programs(programs), messages(messages), state(state) {}

  std::string describe() const;

private:
  Block blockOf(int64_t rank, bool isLane) const;
  Block blockAt(int64_t rank, bool isLane, const Item &at, uint32_t meeting) const;
  int64_t findMissing(int64_t rank, const Call &call) const;
  /// Returns the item in which `rank` participates in another rank's call.
  uint32_t itemOf(int64_t rank, const Call &call, int32_t channel) const;
  bool hasBegun(int64_t rank, uint32_t item) const;
  std::string tell(const Block &block) const;
  std::string nameAt(int64_t rank, uint32_t record, const abi::Slot &slot) const {
    const ProgramIndex &index = programs[state.state(rank).program];
    return nameOf(index.program, *index.records[record], slot);
  }

  const std::vector<ProgramIndex> &programs;
  const Messages &messages;
  const RendezvousState &state;
};

bool Detective::hasBegun(int64_t rank, uint32_t item) const {
  const RankState &own = state.state(rank);
  if (state.scheduleOf(rank).items[item].lane != abi::COMMUNICATION)
    return item < own.next || (item == own.next && own.begun);
  const std::vector<uint32_t> &lane = state.laneOf(rank);
  uint32_t place = uint32_t(std::lower_bound(lane.begin(), lane.end(), item) - lane.begin());
  return place < own.lane || (place == own.lane && own.laneBegun);
}

uint32_t Detective::itemOf(int64_t rank, const Call &call, int32_t channel) const {
  const std::vector<Item> &items = state.scheduleOf(rank).items;
  auto isOther = [&](const Call &other) {
    return other.count == call.count && other.group == call.group &&
           (call.group >= 0 || state.channelOf(rank, other) == channel);
  };
  auto holds = [&](const Item &item) {
    return std::any_of(item.calls.begin(), item.calls.end(), isOther);
  };
  return uint32_t(std::find_if(items.begin(), items.end(), holds) - items.begin());
}

int64_t Detective::findMissing(int64_t rank, const Call &call) const {
  if (call.group < 0) {
    const Channel &channel = messages.channels[state.channelOf(rank, call)];
    return channel.sender == rank ? channel.receiver : channel.sender;
  }
  for (uint32_t member : state.membersOf(rank, call).ranks())
    if (!hasBegun(member, itemOf(member, call, -1)))
      return member;
  return rank;
}

Block Detective::blockAt(int64_t rank, bool isLane, const Item &at, uint32_t meeting) const {
  const Item &item = state.scheduleOf(rank).items[meeting];
  auto isOpen = [&](const Call &call) { return !state.isDone(rank, call); };
  const Call &call = *std::find_if(item.calls.begin(), item.calls.end(), isOpen);
  return {rank, isLane, &at, &item, &call, findMissing(rank, call)};
}

Block Detective::blockOf(int64_t rank, bool isLane) const {
  const RankState &own = state.state(rank);
  const std::vector<Item> &items = state.scheduleOf(rank).items;
  if (isLane) {
    uint32_t item = state.laneOf(rank)[own.lane];
    return blockAt(rank, true, items[item], item);
  }
  const Item &at = items[own.next];
  if (own.begun)
    return blockAt(rank, false, at, own.next);
  auto isOpen = [&](uint32_t item) { return !state.isDone(rank, item); };
  uint32_t awaited = *std::find_if(at.waits.begin(), at.waits.end(), isOpen);
  bool onLane = items[awaited].lane == abi::COMMUNICATION;
  return blockAt(rank, false, at, onLane ? state.laneOf(rank)[own.lane] : awaited);
}

std::string Detective::tell(const Block &block) const {
  int32_t channel = block.call->group < 0 ? state.channelOf(block.rank, *block.call) : -1;
  uint32_t place = itemOf(block.missing, *block.call, channel);
  const Item &other = state.scheduleOf(block.missing).items[place];
  auto sideOf = [&](const Call &call) {
    return call.count == block.call->count && call.group == block.call->group &&
           (call.group >= 0 || state.channelOf(block.missing, call) == channel);
  };
  uint32_t record = std::find_if(other.calls.begin(), other.calls.end(), sideOf)->record;
  std::string meeting = nameAt(block.rank, block.call->record, block.meeting->slot);
  std::string at = block.at == block.meeting
                       ? meeting
                       : nameAt(block.rank, block.at->record, block.at->slot) + " for " + meeting;
  return fmt::format("rank {} waits at {} until rank {} comes to {}", block.rank, at, block.missing,
                     nameAt(block.missing, record, other.slot));
}

std::string Detective::describe() const {
  std::vector<Block> way;
  int64_t rank = 0;
  while (state.isAtEnd(rank))
    ++rank;
  bool isLane = state.state(rank).next == state.scheduleOf(rank).items.size();
  for (;;) {
    auto seen = std::find_if(way.begin(), way.end(), [&](const Block &block) {
      return block.rank == rank && block.isLane == isLane;
    });
    if (seen != way.end()) {
      way.erase(way.begin(), seen);
      break;
    }
    way.push_back(blockOf(rank, isLane));
    const Block &last = way.back();
    int32_t channel = last.call->group < 0 ? state.channelOf(rank, *last.call) : -1;
    uint32_t place = itemOf(last.missing, *last.call, channel);
    rank = last.missing;
    isLane = state.state(rank).next > place; // its list is past that item, so its stream is not
  }
  std::string text;
  for (const Block &block : way)
    text += (text.empty() ? "" : "; ") + tell(block);
  return text;
}

} // namespace

abi::Status runToTheEnd(const std::vector<ProgramIndex> &programs, const Messages &messages,
                        const std::vector<Schedule> &schedules, const char *what) {
  RendezvousState state(programs, messages, schedules);
  if (state.run())
    return {};
  return abi::Status::badInput(
      fmt::format("{}: {}", what, Detective(programs, messages, state).describe()));
}

} // namespace pcc::check
