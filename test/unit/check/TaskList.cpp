// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/TaskList.h"

#include "runtime/abi/OperandRanges.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Stages.h"

#include <span>

namespace pcc::test {

/// The meeting at which a rank's next call of this kind takes place.
int TaskMaker::meetingOf(int64_t rank, const abi::Record &record) {
  const abi::Collective &collective = record.collective();
  std::vector<int64_t> key;
  size_t members = 2;
  if (isMessage(record)) {
    int64_t peer = abi::evaluate(collective.peer(), executable.mesh(), rank);
    if (peer < 0)
      return -1;
    bool sends = collective.kind() == abi::SEND;
    key = {-1, sends ? rank : peer, sends ? peer : rank, collective.tag()};
    // A rank that sends and receives on one route counts apart.
    key.push_back(counts[{rank, {sends, key[1], key[2], key[3]}}]++);
  } else {
    const abi::RankList &list = abi::listOf(executable.groups(int(collective.group())), rank);
    members = size_t(list.ranks_size());
    key = {int64_t(collective.group()), list.ranks(0)};
    key.push_back(counts[{rank, key}]++);
  }
  auto [found, isNew] = meetingNumbers.try_emplace(key, int(sides.size()));
  if (isNew)
    sides.push_back(members);
  return found->second;
}

/// Whether they are one record, or two under whose tag messages go one after the other.
bool TaskMaker::goesOn(int64_t rank, const abi::Record &a, const abi::Record &b) const {
  if (&a == &b || !isMessage(a) || !isMessage(b))
    return &a == &b;
  const abi::Collective &x = a.collective(), &y = b.collective();
  return x.kind() == y.kind() && x.tag() == y.tag() &&
         abi::evaluate(x.peer(), executable.mesh(), rank) ==
             abi::evaluate(y.peer(), executable.mesh(), rank);
}

void TaskMaker::add(int64_t rank, Task task, Signallers &signallers, std::vector<Task> &tasks) {
  int own = int(tasks.size());
  int64_t turn =
      int64_t(task.action.microbatch()) * executable.batch().copies() + task.action.copy();
  for (int w = 0; w < task.record->waits_size(); ++w) {
    uint32_t event = task.record->waits(w);
    int64_t behind = w < task.record->behind_size() ? task.record->behind(w) : 0;
    auto last = signallers.last.find(event);
    auto run = signallers.byNumber.find({event, turn - behind + 1});
    if (behind == 0 && last != signallers.last.end())
      task.waits.push_back(last->second);
    if (behind > 0 && run != signallers.byNumber.end())
      task.waits.push_back(run->second);
  }
  for (int i = own; i-- > 0 && task.before < 0;)
    if (goesOn(rank, *tasks[size_t(i)].record, *task.record))
      task.before = i;
  if (task.record->collective().fused())
    task.fusedWith = own - 1;
  if (task.record->has_collective())
    task.meeting = meetingOf(rank, *task.record);
  for (uint32_t event : task.record->signals())
    signallers.last[event] = signallers.byNumber[{event, turn}] = own;
  tasks.push_back(std::move(task));
}

std::vector<Task> TaskMaker::make(int64_t rank) {
  const abi::Program &program = executable.programs(abi::programOfRank(executable, rank));
  std::vector<Task> tasks;
  Signallers signallers;
  std::map<uint32_t, int> runs, left;
  for (const abi::Slot &slot : program.slots())
    ++left[slot.section()];
  for (const abi::Slot &slot : program.slots()) {
    const abi::Section &section = program.sections(int(slot.section()));
    bool isFirst = runs[slot.section()]++ == 0, isLast = --left[slot.section()] == 0;
    bool needsData = readsInput(program, section);
    int computed = int(tasks.size()) - 1;
    while (computed >= 0 && tasks[size_t(computed)].record->lane() != abi::COMPUTE)
      --computed;
    for (const abi::Record &record : section.records()) {
      Task task{.record = &record, .slot = slot, .isFirst = isFirst, .isLast = isLast};
      task.fills = needsData && record.lane() == abi::COMPUTE;
      task.slotBegin = record.lane() == abi::COMMUNICATION ? computed : -1;
      add(rank, std::move(task), signallers, tasks);
    }
    // The first record of COMPUTE brings them.
    for (bool isLater = false; Task & task : std::span(tasks).last(section.records_size())) {
      task.fills &= !isLater;
      isLater |= task.fills;
    }
    if (isLast)
      add(rank, readingTask(program, slot, tasks), signallers, tasks);
  }
  return tasks;
}

/// The rank's thread reads what a section shows when that has run for the last time.
Task TaskMaker::readingTask(const abi::Program &program, const abi::Slot &slot,
                            const std::vector<Task> &tasks) const {
  static const abi::Record reading;
  Task task{.record = &reading, .slot = slot};
  for (const abi::Result &result : program.results()) {
    if (result.section() != slot.section() || result.role() == abi::OUTPUT)
      continue;
    task.shows.push_back(&result);
    for (int other = int(tasks.size()); other-- > 0;)
      if (writesTo(program, tasks[size_t(other)], result)) {
        task.waits.push_back(other);
        break;
      }
  }
  return task;
}

bool TaskMaker::writesTo(const abi::Program &program, const Task &task,
                         const abi::Result &result) const {
  const abi::Buffer &shown = program.memory().buffers(int(result.buffer()));
  for (const abi::OperandRange &range : abi::operandRanges(executable, program, *task.record)) {
    const abi::Buffer &buffer = program.memory().buffers(int(range.operand->buffer()));
    uint64_t begin = abi::ringOffset(buffer, abi::ringIndex(executable.batch(), task.action)) +
                     range.operand->offset();
    if (range.writes && buffer.space() == shown.space() && begin < shown.offset() + shown.bytes() &&
        shown.offset() < begin + range.bytes)
      return true;
  }
  return false;
}

bool TaskMaker::readsInput(const abi::Program &program, const abi::Section &section) const {
  for (const abi::Record &record : section.records())
    for (const abi::OperandRange &range : abi::operandRanges(executable, program, record))
      if (range.reads != abi::Reads::No &&
          program.memory().buffers(int(range.operand->buffer())).space() == abi::INPUT)
        return true;
  return false;
}

} // namespace pcc::test
