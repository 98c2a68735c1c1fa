// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through the actions in list order and omits instructions that cannot make a rank wait. A
// wait for an event becomes a wait for the item that signals it. A collective beyond `maxInFlight`
// of its group also waits for the oldest one.

#include "runtime/check/match/RendezvousSchedule.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/check/match/LaunchGrouping.h"

#include <deque>
#include <map>

namespace pcc::check {
namespace {

class ScheduleMaker {
public:
  ScheduleMaker(const ProgramIndex &index, bool launchesOnly)
      : index(index), launchesOnly(launchesOnly), grouping(index.executable, index.program),
        runs(index.instructions.size(), 0), signaler(index.program.events(), -1),
        signalerOf(index.program.events()) {
    schedule.collectives.assign(index.executable.groups_size(), 0);
    started.assign(index.executable.groups_size(), 0);
    inFlight.resize(index.executable.groups_size());
  }

  void addAction(const abi::Action &action);
  RendezvousSchedule take() { return std::move(schedule); }

private:
  void addInstruction(uint32_t position, const abi::Action &action);
  void addWaits(const abi::Instruction &instruction, uint64_t number, Item &item) const;
  void limitInFlight(Item &item, bool isFused);
  bool joins(const abi::Instruction &instruction) const;
  Call callOf(uint32_t position);

  const ProgramIndex &index;
  const bool launchesOnly;
  const LaunchGrouping grouping;
  RendezvousSchedule schedule;
  /// By instruction: number of its runs. By event: the item that signaled it last; -1 for none, and
  /// for instructions that are done when the list passes them.
  std::vector<uint32_t> runs;
  std::vector<int64_t> signaler;
  /// By event: the item that signaled it, by action number.
  std::vector<std::map<uint64_t, int64_t>> signalerOf;
  /// By group: number of started collectives, fused ones counted once. The last items of the
  /// in-flight ones on other streams than COMPUTE, with their numbers.
  std::vector<uint32_t> started;
  std::vector<std::deque<std::pair<uint32_t, uint32_t>>> inFlight;
  /// The instructions of the last item while neighbors may still join it.
  std::vector<const abi::Instruction *> open;
};

void ScheduleMaker::addAction(const abi::Action &action) {
  open.clear();
  for (uint32_t position = index.firstOf[action.section()];
       position < index.firstOf[action.section() + 1]; ++position)
    addInstruction(position, action);
}

bool ScheduleMaker::joins(const abi::Instruction &instruction) const {
  return !open.empty() && isMessage(instruction) && grouping.join(open, instruction);
}

Call ScheduleMaker::callOf(uint32_t position) {
  const abi::Instruction &instruction = *index.instructions[position];
  if (isMessage(instruction))
    return {position, -1, runs[index.messageOf[position]]++};
  uint32_t group = instruction.collective().group();
  return {position, int32_t(group), schedule.collectives[group]++};
}

/// Makes an item with a new collective wait for the collectives that exceed `maxInFlight`. A fused
/// collective counts once and is done with its last member.
void ScheduleMaker::limitInFlight(Item &item, bool isFused) {
  const Call &call = item.calls.back();
  if (call.group < 0)
    return;
  std::deque<std::pair<uint32_t, uint32_t>> &older = inFlight[call.group];
  uint32_t own = uint32_t(schedule.items.size()) - 1;
  if (isFused) {
    if (item.stream != abi::COMPUTE)
      older.back().second = own;
    return;
  }
  uint32_t number = started[call.group]++;
  while (!older.empty() && older.front().first + maxInFlight <= number) {
    item.waits.push_back(older.front().second);
    older.pop_front();
  }
  if (item.stream != abi::COMPUTE)
    older.emplace_back(number, own);
}

void ScheduleMaker::addWaits(const abi::Instruction &instruction, uint64_t number,
                             Item &item) const {
  for (int w = 0; w < instruction.waits_size(); ++w) {
    uint32_t event = instruction.waits(w), behind = abi::behindOf(instruction, w);
    int64_t other = signaler[event];
    if (behind > 0) {
      std::optional<uint64_t> awaited = abi::awaitedNumber(behind, number);
      auto known = awaited ? signalerOf[event].find(*awaited) : signalerOf[event].end();
      other = known == signalerOf[event].end() ? -1 : known->second;
    }
    if (other >= 0)
      item.waits.push_back(uint32_t(other));
  }
}

void ScheduleMaker::addInstruction(uint32_t position, const abi::Action &action) {
  const abi::Instruction &instruction = *index.instructions[position];
  uint64_t number = abi::ringIndex(index.executable.batch(), action);
  bool communicates = instruction.has_collective() && !(launchesOnly && isMessage(instruction));
  if (!communicates || !joins(instruction)) {
    Item item{.stream = communicates && !launchesOnly ? instruction.stream() : abi::COMPUTE,
              .action = action,
              .instruction = position};
    if (!launchesOnly)
      addWaits(instruction, number, item);
    if (communicates || !item.waits.empty())
      schedule.items.push_back(std::move(item));
    open.clear();
  }
  if (communicates) {
    schedule.items.back().calls.push_back(callOf(position));
    limitInFlight(schedule.items.back(), instruction.collective().fused());
    open.push_back(&instruction);
  }
  for (uint32_t event : instruction.signals())
    signaler[event] = signalerOf[event][number] =
        communicates && instruction.stream() != abi::COMPUTE ? int64_t(schedule.items.size()) - 1
                                                             : -1;
}

} // namespace

RendezvousSchedule makeRendezvousSchedule(const ProgramIndex &index,
                                          const std::vector<abi::Action> &actions,
                                          bool launchesOnly) {
  ScheduleMaker maker(index, launchesOnly);
  for (const abi::Action &action : actions)
    maker.addAction(action);
  return maker.take();
}

} // namespace pcc::check
