// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements listArrivals (HappensBefore.h) in two passes. Pass 1 runs each program alone and
// stores the clock with which each run of a send begins. Pass 2 takes these runs in order. Each one
// learns of arrivals elsewhere from the messages that its rank received before it.

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/dataflow/HappensBefore.h"

#include <algorithm>

namespace pcc::check {
namespace {

/// By number of a send: how many of its runs are known to have arrived at their receiver.
using Known = std::vector<uint32_t>;

/// A send within columns (HappensBefore.h), identified by its clock.
struct Send {
  int program = 0;
  uint32_t clock = 0;
  /// By run: the own rank's completed work when the run began, by that rank's own order; and the
  /// known arrivals of all sends at that time.
  std::vector<Clock> begins = {};
  std::vector<Known> known = {};
};

/// A receive within columns, identified by its clock, and the number of its send.
struct Receive {
  uint32_t clock = 0;
  uint32_t send = 0;
};

/// Propagates knowledge about completed work from message to message.
class Knowledge {
public:
  Knowledge(const std::vector<ProgramIndex> &programs, const Messages &messages,
            const Execution &execution);
  Arrivals arrivalsOf(const ProgramIndex &index) const;

private:
  void addSend(const ProgramIndex &index, uint32_t instruction);
  const Channel *channelOf(int program, uint32_t instruction) const;
  void begin(const ProgramIndex &index, const std::vector<abi::Action> &actions);
  void spread();
  bool learn(uint32_t number);
  Clock clockOf(const ProgramIndex &index, const Known &known) const;

  const std::vector<ProgramIndex> &programs;
  const Messages &messages;
  std::vector<Send> sends;
  /// By program: its receives, and the numbers of its sends in the order in which their runs begin.
  std::vector<std::vector<Receive>> receives;
  std::vector<std::vector<uint32_t>> order;
};

Knowledge::Knowledge(const std::vector<ProgramIndex> &programs, const Messages &messages,
                     const Execution &execution)
    : programs(programs), messages(messages), receives(programs.size()), order(programs.size()) {
  for (const ProgramIndex &index : programs)
    for (uint32_t r = 0; r < index.instructions.size(); ++r)
      if (isMessage(*index.instructions[r]) &&
          index.instructions[r]->collective().kind() == abi::SEND)
        addSend(index, r);
  if (sends.empty())
    return;
  for (const ProgramIndex &index : programs)
    begin(index, execution.actions[index.number]);
  spread();
}

/// Returns the channel of an instruction in the first column, if the channels of all columns are
/// alike; else null.
const Channel *Knowledge::channelOf(int program, uint32_t instruction) const {
  const std::vector<int32_t> &numbers = messages.channelOf[program][instruction];
  if (std::find(numbers.begin(), numbers.end(), -1) != numbers.end())
    return nullptr;
  const abi::Executable &executable = programs[program].executable;
  const Channel &first = messages.channels[numbers.front()];
  for (int32_t number : numbers) {
    const Channel &channel = messages.channels[number];
    bool isAlike = channel.sendProgram == first.sendProgram && channel.send == first.send &&
                   channel.receiveProgram == first.receiveProgram &&
                   channel.receive == first.receive;
    if (!isAlike || channel.sendProgram < 0 || channel.receiveProgram < 0 ||
        channel.sender - abi::ranksOfProgram(executable, channel.sendProgram).first !=
            channel.receiver - abi::ranksOfProgram(executable, channel.receiveProgram).first)
      return nullptr;
  }
  return &first;
}

void Knowledge::addSend(const ProgramIndex &index, uint32_t instruction) {
  const Channel *channel = channelOf(index.number, instruction);
  if (!channel || channel->send != instruction)
    return;
  receives[channel->receiveProgram].push_back(
      {programs[channel->receiveProgram].clockOf[channel->receive], uint32_t(sends.size())});
  sends.push_back({.program = index.number, .clock = index.clockOf[instruction]});
}

/// Runs a program's part of the execution on its own and stores the clocks at which its sends
/// begin.
void Knowledge::begin(const ProgramIndex &index, const std::vector<abi::Action> &actions) {
  std::vector<int64_t> sendOf(index.clocks, -1);
  for (uint32_t s = 0; s < sends.size(); ++s)
    if (sends[s].program == index.number)
      sendOf[sends[s].clock] = s;
  HappensBefore own(index, nullptr);
  for (const abi::Action &action : actions) {
    own.enterAction(action);
    for (uint32_t r = index.firstOf[action.section()]; r < index.firstOf[action.section() + 1];
         ++r) {
      own.enter(r);
      if (int64_t send = sendOf[index.clockOf[r]]; send >= 0) {
        sends[send].begins.push_back(own.begin());
        order[index.number].push_back(uint32_t(send));
      }
      own.leave();
    }
  }
}

/// Propagates knowledge to a fixpoint: each program advances as far as its senders allow.
void Knowledge::spread() {
  std::vector<size_t> next(programs.size(), 0);
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (size_t p = 0; p < programs.size(); ++p)
      for (; next[p] < order[p].size() && learn(order[p][next[p]]); ++next[p])
        goesOn = true;
  }
}

/// Computes the knowledge at the next run of a send from the messages received before it. Returns
/// false if one of these messages is not there yet.
bool Knowledge::learn(uint32_t number) {
  Send &send = sends[number];
  const Clock &begin = send.begins[send.known.size()];
  Known known(sends.size(), 0);
  for (const Receive &receive : receives[send.program]) {
    uint32_t count = begin[receive.clock];
    const std::vector<Known> &theirs = sends[receive.send].known;
    if (count == 0)
      continue;
    if (theirs.size() < count)
      return false;
    for (size_t s = 0; s < known.size(); ++s)
      known[s] = std::max(known[s], theirs[count - 1][s]);
    known[receive.send] = std::max(known[receive.send], count);
  }
  send.known.push_back(std::move(known));
  return true;
}

/// Returns the work that is done on a rank if `known` runs of its sends have arrived.
Clock Knowledge::clockOf(const ProgramIndex &index, const Known &known) const {
  Clock clock(index.clocks, 0);
  for (uint32_t s = 0; s < known.size(); ++s) {
    if (sends[s].program != index.number || known[s] == 0)
      continue;
    const Clock &begin = sends[s].begins[known[s] - 1];
    for (size_t c = 0; c < begin.size(); ++c)
      clock[c] = std::max(clock[c], begin[c]);
    uint32_t &own = clock[sends[s].clock];
    own = std::max(own, known[s]);
  }
  return clock;
}

Arrivals Knowledge::arrivalsOf(const ProgramIndex &index) const {
  Arrivals arrivals(index.clocks);
  for (const Receive &receive : receives[index.number])
    for (const Known &known : sends[receive.send].known)
      arrivals[receive.clock].push_back(clockOf(index, known));
  return arrivals;
}

} // namespace

std::vector<Arrivals> listArrivals(const std::vector<ProgramIndex> &programs,
                                   const Messages &messages, const Execution &execution) {
  Knowledge knowledge(programs, messages, execution);
  std::vector<Arrivals> arrivals;
  for (const ProgramIndex &index : programs)
    arrivals.push_back(knowledge.arrivalsOf(index));
  return arrivals;
}

} // namespace pcc::check
