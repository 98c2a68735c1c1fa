// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/TaskList.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/validate/OperandRanges.h"

#include <span>

namespace pcc::test {

/// Returns the number of the rendezvous of a rank's next call of this kind.
int TaskMaker::rendezvousOf(int64_t rank, const abi::Instruction &instruction) {
  const abi::Collective &collective = instruction.collective();
  std::vector<int64_t> key;
  size_t members = 2;
  if (isMessage(instruction)) {
    int64_t peer = abi::evaluate(collective.peer(), executable.mesh(), rank);
    if (peer < 0)
      return -1;
    bool sends = collective.kind() == abi::SEND;
    key = {-1, sends ? rank : peer, sends ? peer : rank, collective.tag()};
    // A rank that sends and receives on one route counts both directions apart.
    key.push_back(counts[{rank, {sends, key[1], key[2], key[3]}}]++);
  } else {
    const abi::RankList &list = abi::groupOf(executable.groups(int(collective.group())), rank);
    members = size_t(list.ranks_size());
    key = {int64_t(collective.group()), list.ranks(0)};
    key.push_back(counts[{rank, key}]++);
  }
  auto [found, isNew] = meetingNumbers.try_emplace(key, int(sides.size()));
  if (isNew)
    sides.push_back(members);
  return found->second;
}

/// Whether both are the same instruction, or are messages with the same tag, which follow one
/// another.
bool TaskMaker::goesOn(int64_t rank, const abi::Instruction &a, const abi::Instruction &b) const {
  if (&a == &b || !isMessage(a) || !isMessage(b))
    return &a == &b;
  const abi::Collective &x = a.collective(), &y = b.collective();
  return x.kind() == y.kind() && x.tag() == y.tag() &&
         abi::evaluate(x.peer(), executable.mesh(), rank) ==
             abi::evaluate(y.peer(), executable.mesh(), rank);
}

void TaskMaker::add(int64_t rank, Task task, Signallers &signalers, std::vector<Task> &tasks) {
  int own = int(tasks.size());
  int64_t turn =
      int64_t(task.action.microbatch()) * executable.batch().copies() + task.action.copy();
  for (int w = 0; w < task.instruction->waits_size(); ++w) {
    uint32_t event = task.instruction->waits(w);
    int64_t behind = w < task.instruction->behind_size() ? task.instruction->behind(w) : 0;
    auto last = signalers.last.find(event);
    auto run = signalers.byNumber.find({event, turn - behind + 1});
    if (behind == 0 && last != signalers.last.end())
      task.waits.push_back(last->second);
    if (behind > 0 && run != signalers.byNumber.end())
      task.waits.push_back(run->second);
  }
  for (int i = own; i-- > 0 && task.before < 0;)
    if (goesOn(rank, *tasks[size_t(i)].instruction, *task.instruction))
      task.before = i;
  if (task.instruction->collective().fused())
    task.fusedWith = own - 1;
  if (task.instruction->has_collective())
    task.meeting = rendezvousOf(rank, *task.instruction);
  for (uint32_t event : task.instruction->signals())
    signalers.last[event] = signalers.byNumber[{event, turn}] = own;
  tasks.push_back(std::move(task));
}

std::vector<Task> TaskMaker::make(int64_t rank) {
  const abi::Program &program = executable.programs(abi::programOfRank(executable, rank));
  std::vector<Task> tasks;
  Signallers signalers;
  std::map<uint32_t, int> runs, left;
  for (const abi::Action &action : program.actions())
    ++left[action.section()];
  for (const abi::Action &action : program.actions()) {
    const abi::Section &section = program.sections(int(action.section()));
    bool isFirst = runs[action.section()]++ == 0, isLast = --left[action.section()] == 0;
    bool needsData = readsInput(program, section);
    int computed = int(tasks.size()) - 1;
    while (computed >= 0 && tasks[size_t(computed)].instruction->stream() != abi::COMPUTE)
      --computed;
    for (const abi::Instruction &instruction : section.instructions()) {
      Task task{
          .instruction = &instruction, .action = action, .isFirst = isFirst, .isLast = isLast};
      task.fills = needsData && instruction.stream() == abi::COMPUTE;
      task.actionBegin = instruction.stream() == abi::COMMUNICATION ? computed : -1;
      add(rank, std::move(task), signalers, tasks);
    }
    // The first instruction on COMPUTE fills the inputs.
    for (bool isLater = false; Task &task : std::span(tasks).last(section.instructions_size())) {
      task.fills &= !isLater;
      isLater |= task.fills;
    }
    if (isLast)
      add(rank, readingTask(program, action, tasks), signalers, tasks);
  }
  return tasks;
}

/// Makes the task in which the rank's thread reads a section's results after its last action.
Task TaskMaker::readingTask(const abi::Program &program, const abi::Action &action,
                            const std::vector<Task> &tasks) const {
  static const abi::Instruction reading;
  Task task{.instruction = &reading, .action = action};
  for (const abi::Result &result : program.results()) {
    if (result.section() != action.section() || result.role() == abi::OUTPUT)
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
  for (const abi::OperandRange &range :
       abi::operandRanges(executable, program, *task.instruction)) {
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
  for (const abi::Instruction &instruction : section.instructions())
    for (const abi::OperandRange &range : abi::operandRanges(executable, program, instruction))
      if (range.reads != abi::Reads::No &&
          program.memory().buffers(int(range.operand->buffer())).space() == abi::INPUT)
        return true;
  return false;
}

} // namespace pcc::test
