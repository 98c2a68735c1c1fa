// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the channels of messages and checks that both sides use them alike.

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/match/Matching.h"
#include "runtime/check/program/Names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace pcc::check {
namespace {

class MessageFinder {
public:
  explicit MessageFinder(const std::vector<ProgramIndex> &programs) : programs(programs) {}

  abi::Expected<Messages> find();

private:
  abi::Status addInstruction(int program, uint32_t instruction);
  abi::Status addSide(int program, uint32_t instruction, int64_t rank, int64_t peer);

  const std::vector<ProgramIndex> &programs;
  Messages messages;
  /// Channels by sender and receiver.
  std::unordered_map<uint64_t, std::vector<int32_t>> channelsBetween;
};

abi::Expected<Messages> MessageFinder::find() {
  for (const ProgramIndex &index : programs) {
    messages.channelOf.emplace_back(index.instructions.size());
    for (uint32_t r = 0; r < index.instructions.size(); ++r)
      if (isMessage(*index.instructions[r]))
        if (abi::Status status = addInstruction(index.number, r); !status.ok())
          return status;
  }
  return std::move(messages);
}

abi::Status MessageFinder::addInstruction(int program, uint32_t instruction) {
  const abi::Executable &executable = programs[program].executable;
  const abi::Collective &collective = programs[program].instructions[instruction]->collective();
  abi::RankRange ranks = abi::ranksOfProgram(executable, program);
  messages.channelOf[program][instruction].assign(size_t(ranks.end - ranks.first), -1);
  for (int64_t rank = ranks.first; rank < ranks.end; ++rank) {
    int64_t peer = abi::evaluate(collective.peer(), executable.mesh(), rank);
    if (peer < 0)
      continue;
    if (abi::Status status = addSide(program, instruction, rank, peer); !status.ok())
      return status;
  }
  return {};
}

abi::Status MessageFinder::addSide(int program, uint32_t instruction, int64_t rank, int64_t peer) {
  const abi::Instruction &side = *programs[program].instructions[instruction];
  bool sends = side.collective().kind() == abi::SEND;
  int64_t sender = sends ? rank : peer, receiver = sends ? peer : rank;
  std::vector<int32_t> &between = channelsBetween[uint64_t(sender) << 32 | uint64_t(receiver)];
  std::string execution = programs[program].executionOf(instruction);
  auto known = std::find_if(between.begin(), between.end(), [&](int32_t channel) {
    const Channel &other = messages.channels[channel];
    return other.tag == side.collective().tag() && other.execution == execution;
  });
  if (known == between.end()) {
    between.push_back(int32_t(messages.channels.size()));
    known = between.end() - 1;
    messages.channels.push_back({.sender = sender,
                                 .receiver = receiver,
                                 .tag = side.collective().tag(),
                                 .execution = std::move(execution)});
  }
  Channel &channel = messages.channels[*known];
  int &owner = sends ? channel.sendProgram : channel.receiveProgram;
  uint32_t &place = sends ? channel.send : channel.receive;
  uint32_t &last = sends ? channel.lastSend : channel.lastReceive;
  bool goesOn =
      owner == program && last == place && programs[program].messageOf[instruction] == place;
  if (owner >= 0 && !goesOn)
    return abi::Status::badInput(fmt::format(
        "rank {} {} rank {} under tag {} by {} and by {}; expected one instruction for a tag", rank,
        sends ? "sends to" : "receives from", peer, side.collective().tag(),
        nameOf(*programs[owner].instructions[place]), nameOf(side)));
  owner = program;
  place = goesOn ? place : instruction;
  last = instruction;
  messages.channelOf[program][instruction][size_t(
      rank - abi::ranksOfProgram(programs[program].executable, program).first)] = *known;
  return {};
}

/// The actions of an execution by program and section, in order.
class Runs {
public:
  Runs(const std::vector<ProgramIndex> &programs, const Execution &execution) {
    for (const ProgramIndex &index : programs) {
      ofSection.emplace_back(index.program.sections_size());
      for (const abi::Action &action : execution.actions[index.number])
        ofSection.back()[action.section()].push_back(action);
    }
  }

  /// Returns the actions of a message and of its continuation `last`.
  std::vector<abi::Action> of(const ProgramIndex &index, uint32_t instruction,
                              uint32_t last) const {
    std::vector<abi::Action> actions = ofSection[index.number][index.sectionOf(instruction)];
    if (last != instruction) {
      const auto &more = ofSection[index.number][index.sectionOf(last)];
      actions.insert(actions.end(), more.begin(), more.end());
    }
    return actions;
  }

private:
  std::vector<std::vector<std::vector<abi::Action>>> ofSection;
};

abi::Status oneSided(const Channel &channel, const ProgramIndex &index, uint32_t instruction,
                     const abi::Action &action) {
  bool sends = index.instructions[instruction]->collective().kind() == abi::SEND;
  return abi::Status::badInput(fmt::format(
      "rank {}: {} {} rank {} under tag {} what rank {} never {}",
      sends ? channel.sender : channel.receiver,
      nameOf(index.program, *index.instructions[instruction], action),
      sends ? "sends to" : "receives from", sends ? channel.receiver : channel.sender, channel.tag,
      sends ? channel.receiver : channel.sender, sends ? "receives" : "sends"));
}

/// Whether both sides have the same type and shape.
bool areAlike(const abi::Collective &a, const abi::Collective &b) {
  return a.type() == b.type() &&
         std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end());
}

abi::Status checkChannel(const std::vector<ProgramIndex> &programs, const Channel &channel,
                         const Runs &runs) {
  std::vector<abi::Action> sent, received;
  if (channel.sendProgram >= 0)
    sent = runs.of(programs[channel.sendProgram], channel.send, channel.lastSend);
  if (channel.receiveProgram >= 0)
    received = runs.of(programs[channel.receiveProgram], channel.receive, channel.lastReceive);
  size_t both = std::min(sent.size(), received.size());
  for (size_t i = 0; i < both; ++i)
    if (sent[i].microbatch() != received[i].microbatch() || sent[i].copy() != received[i].copy())
      return abi::Status::badInput(fmt::format(
          "message {} from rank {} to rank {} under tag {}: sent by {}, received by {}; expected "
          "the same microbatch and copy",
          i, channel.sender, channel.receiver, channel.tag,
          nameOf(programs[channel.sendProgram].program,
                 *programs[channel.sendProgram].instructions[channel.send], sent[i]),
          nameOf(programs[channel.receiveProgram].program,
                 *programs[channel.receiveProgram].instructions[channel.receive], received[i])));
  if (sent.size() > both)
    return oneSided(channel, programs[channel.sendProgram], channel.send, sent[both]);
  if (received.size() > both)
    return oneSided(channel, programs[channel.receiveProgram], channel.receive, received[both]);
  if (both == 0)
    return {};
  const auto &sends = programs[channel.sendProgram].instructions;
  const auto &receives = programs[channel.receiveProgram].instructions;
  for (uint32_t send : {channel.send, channel.lastSend})
    for (uint32_t receive : {channel.receive, channel.lastReceive})
      if (!areAlike(sends[send]->collective(), receives[receive]->collective()))
        return abi::Status::badInput(
            fmt::format("rank {} sends by {} a {}, but rank {} expects by {} a {}", channel.sender,
                        nameOf(*sends[send]), callOf(sends[send]->collective()), channel.receiver,
                        nameOf(*receives[receive]), callOf(receives[receive]->collective())));
  return {};
}

} // namespace

abi::Expected<Messages> findMessages(const std::vector<ProgramIndex> &programs) {
  return MessageFinder(programs).find();
}

abi::Status checkMessages(const std::vector<ProgramIndex> &programs, const Messages &messages,
                          const Execution &execution) {
  Runs runs(programs, execution);
  for (const Channel &channel : messages.channels)
    if (abi::Status status = checkChannel(programs, channel, runs); !status.ok())
      return status;
  return {};
}

} // namespace pcc::check
