// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the schedules of all ranks. Explains a deadlock by the cycle of ranks that wait for each
// other.

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/match/RendezvousState.h"
#include "runtime/check/program/Names.h"

#include <fmt/format.h>

#include <algorithm>

namespace pcc::check {
namespace {

/// Why a rank's list, or its stream COMMUNICATION, does not advance.
struct Block {
  int64_t rank;
  bool isStream;
  /// The current item, and the item whose rendezvous is not complete.
  const Item *at;
  const Item *rendezvous;
  const Call *call;
  /// The rank that has not arrived.
  int64_t missing;
};

class DeadlockExplainer {
public:
  DeadlockExplainer(const std::vector<ProgramIndex> &programs, const Messages &messages,
                    const RendezvousState &state)
      : programs(programs), messages(messages), state(state) {}

  std::string describe() const;

private:
  Block blockOf(int64_t rank, bool isStream) const;
  Block blockAt(int64_t rank, bool isStream, const Item &at, uint32_t rendezvous) const;
  int64_t findMissing(int64_t rank, const Call &call) const;
  /// Returns the item in which `rank` participates in another rank's call.
  uint32_t itemOf(int64_t rank, const Call &call, int32_t channel) const;
  bool hasBegun(int64_t rank, uint32_t item) const;
  std::string describeBlock(const Block &block) const;
  std::string nameAt(int64_t rank, uint32_t instruction, const abi::Action &action) const {
    const ProgramIndex &index = programs[state.state(rank).program];
    return nameOf(index.program, *index.instructions[instruction], action);
  }

  const std::vector<ProgramIndex> &programs;
  const Messages &messages;
  const RendezvousState &state;
};

bool DeadlockExplainer::hasBegun(int64_t rank, uint32_t item) const {
  const RankState &own = state.state(rank);
  if (state.scheduleOf(rank).items[item].stream != abi::COMMUNICATION)
    return item < own.next || (item == own.next && own.begun);
  const std::vector<uint32_t> &stream = state.streamOf(rank);
  uint32_t place = uint32_t(std::lower_bound(stream.begin(), stream.end(), item) - stream.begin());
  return place < own.stream || (place == own.stream && own.streamBegun);
}

uint32_t DeadlockExplainer::itemOf(int64_t rank, const Call &call, int32_t channel) const {
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

int64_t DeadlockExplainer::findMissing(int64_t rank, const Call &call) const {
  if (call.group < 0) {
    const Channel &channel = messages.channels[state.channelOf(rank, call)];
    return channel.sender == rank ? channel.receiver : channel.sender;
  }
  for (uint32_t member : state.membersOf(rank, call).ranks())
    if (!hasBegun(member, itemOf(member, call, -1)))
      return member;
  return rank;
}

Block DeadlockExplainer::blockAt(int64_t rank, bool isStream, const Item &at,
                                 uint32_t rendezvous) const {
  const Item &item = state.scheduleOf(rank).items[rendezvous];
  auto isOpen = [&](const Call &call) { return !state.isDone(rank, call); };
  const Call &call = *std::find_if(item.calls.begin(), item.calls.end(), isOpen);
  return {rank, isStream, &at, &item, &call, findMissing(rank, call)};
}

Block DeadlockExplainer::blockOf(int64_t rank, bool isStream) const {
  const RankState &own = state.state(rank);
  const std::vector<Item> &items = state.scheduleOf(rank).items;
  if (isStream) {
    uint32_t item = state.streamOf(rank)[own.stream];
    return blockAt(rank, true, items[item], item);
  }
  const Item &at = items[own.next];
  if (own.begun)
    return blockAt(rank, false, at, own.next);
  auto isOpen = [&](uint32_t item) { return !state.isDone(rank, item); };
  uint32_t awaited = *std::find_if(at.waits.begin(), at.waits.end(), isOpen);
  bool onStream = items[awaited].stream == abi::COMMUNICATION;
  return blockAt(rank, false, at, onStream ? state.streamOf(rank)[own.stream] : awaited);
}

std::string DeadlockExplainer::describeBlock(const Block &block) const {
  int32_t channel = block.call->group < 0 ? state.channelOf(block.rank, *block.call) : -1;
  uint32_t place = itemOf(block.missing, *block.call, channel);
  const Item &other = state.scheduleOf(block.missing).items[place];
  auto sideOf = [&](const Call &call) {
    return call.count == block.call->count && call.group == block.call->group &&
           (call.group >= 0 || state.channelOf(block.missing, call) == channel);
  };
  uint32_t instruction = std::find_if(other.calls.begin(), other.calls.end(), sideOf)->instruction;
  std::string rendezvous = nameAt(block.rank, block.call->instruction, block.rendezvous->action);
  std::string at =
      block.at == block.rendezvous
          ? rendezvous
          : nameAt(block.rank, block.at->instruction, block.at->action) + " for " + rendezvous;
  return fmt::format("rank {} waits at {} until rank {} comes to {}", block.rank, at, block.missing,
                     nameAt(block.missing, instruction, other.action));
}

std::string DeadlockExplainer::describe() const {
  std::vector<Block> cycle;
  int64_t rank = 0;
  while (state.isAtEnd(rank))
    ++rank;
  bool isStream = state.state(rank).next == state.scheduleOf(rank).items.size();
  for (;;) {
    auto seen = std::find_if(cycle.begin(), cycle.end(), [&](const Block &block) {
      return block.rank == rank && block.isStream == isStream;
    });
    if (seen != cycle.end()) {
      cycle.erase(cycle.begin(), seen);
      break;
    }
    cycle.push_back(blockOf(rank, isStream));
    const Block &last = cycle.back();
    int32_t channel = last.call->group < 0 ? state.channelOf(rank, *last.call) : -1;
    uint32_t place = itemOf(last.missing, *last.call, channel);
    rank = last.missing;
    isStream = state.state(rank).next > place; // its list is past that item, so its stream is not
  }
  std::string text;
  for (const Block &block : cycle)
    text += (text.empty() ? "" : "; ") + describeBlock(block);
  return text;
}

} // namespace

abi::Status runToCompletion(const std::vector<ProgramIndex> &programs, const Messages &messages,
                            const std::vector<RendezvousSchedule> &schedules, const char *what) {
  RendezvousState state(programs, messages, schedules);
  if (state.run())
    return {};
  return abi::Status::badInput(
      fmt::format("{}: {}", what, DeadlockExplainer(programs, messages, state).describe()));
}

} // namespace pcc::check
