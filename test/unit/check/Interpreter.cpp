// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/Interpreter.h"

#include "runtime/abi/program/ProgramRanks.h"
#include "test/unit/check/HashMemory.h"
#include "test/unit/check/TaskList.h"

#include <algorithm>
#include <deque>
#include <random>
#include <set>

namespace pcc::test {
namespace {

bool sends(const Task &task) { return task.instruction->collective().kind() == abi::SEND; }

/// A task of a rank.
struct Side {
  int rank, task;
  auto operator<=>(const Side &) const = default;
};

/// The rendezvous of a collective or message, at which all sides must arrive.
struct Meeting {
  size_t sides = 0;
  std::vector<Side> come = {};
  bool isSent = false; ///< the sender of the message is done
};

/// A possible next event: a task begins or ends, or a rendezvous proceeds.
struct Choice {
  enum { Begin, End, Meet } what;
  Side side = {};
  size_t meeting = 0;
};

struct Rank {
  const abi::Program *program;
  HashMemory memory;
  std::vector<Task> tasks = {};
  size_t next = 0; ///< position in the list of a host thread
  std::deque<int> queue = {};
  std::map<const abi::Result *, std::vector<uint64_t>> shown = {};
};

class Machine {
public:
  Machine(const abi::Executable &executable, DeviceKind kind, uint64_t seed)
      : executable(executable), kind(kind), isSlow(seed % 2 == 1), buffers(seed / 2 % 2 == 1),
        lazy(int(seed / 4 % uint64_t(abi::rankCount(executable.mesh()) + 1)) - 1), random(seed) {}

  Outcome run();

private:
  bool goesOn(const Meeting &meeting);
  void prepareStep();
  void handInQueues();
  void moveThreads();
  bool runStep(int step);
  std::vector<Choice> choices();
  void listReady(int rank, std::vector<Choice> &list);
  bool take(const Choice &choice);
  bool canBegin(const Rank &rank, const Task &task) const;
  void begin(Side side);
  void finish(Side side);
  Task &taskOf(Side side) { return ranks[size_t(side.rank)].tasks[size_t(side.task)]; }
  void meet(Meeting &meeting);
  bool doMatch(const Meeting &meeting);
  void read(Side side);
  std::string stuck() const;

  const abi::Executable &executable;
  const DeviceKind kind;
  const bool isSlow;  ///< collectives and messages take long, to find orders that need slow ones
  const bool buffers; ///< a sent value is buffered until it is received: sends wait for nobody
  const int lazy;     ///< a rank that computes only if nothing else can happen; -1: none
  std::mt19937_64 random;
  std::vector<Rank> ranks;
  std::vector<Meeting> meetings;
  std::vector<Side> running;
  int step = 0;
  Outcome outcome;
};

/// A member of a fused collective begins only after the member before it has begun.
bool Machine::canBegin(const Rank &rank, const Task &task) const {
  if (task.fusedWith >= 0 && rank.tasks[size_t(task.fusedWith)].phase == Phase::Waiting)
    return false;
  bool isFree = task.before < 0 || rank.tasks[size_t(task.before)].phase == Phase::Done ||
                (task.instruction->stream() == abi::TRANSFER &&
                 rank.tasks[size_t(task.before)].phase == Phase::Begun);
  return std::all_of(task.waits.begin(), task.waits.end(),
                     [&](int other) { return rank.tasks[size_t(other)].phase == Phase::Done; }) &&
         isFree &&
         (task.actionBegin < 0 || rank.tasks[size_t(task.actionBegin)].phase == Phase::Done);
}

void Machine::listReady(int number, std::vector<Choice> &list) {
  Rank &rank = ranks[size_t(number)];
  if (kind == DeviceKind::Thread) {
    if (rank.next < rank.tasks.size() && rank.tasks[rank.next].phase == Phase::Waiting &&
        canBegin(rank, rank.tasks[rank.next]))
      list.push_back({Choice::Begin, {number, int(rank.next)}});
    return;
  }
  bool computes = true;
  for (size_t t = 0; t < rank.tasks.size(); ++t) {
    const Task &task = rank.tasks[t];
    if (task.instruction->stream() == abi::COMPUTE) {
      if (!computes || task.phase == Phase::Done)
        continue;
      // Adjacent messages are launched together, and so are members of a fused collective.
      bool hasNext = t + 1 < rank.tasks.size();
      const Task *next = hasNext ? &rank.tasks[t + 1] : nullptr;
      computes = next && (next->fusedWith >= 0 ||
                          (isMessage(*task.instruction) && isMessage(*next->instruction) &&
                           next->instruction->stream() == abi::COMPUTE &&
                           next->instruction->waits().empty()));
    }
    if (task.phase == Phase::Waiting && canBegin(rank, task))
      list.push_back({Choice::Begin, {number, int(t)}});
  }
}

std::vector<Choice> Machine::choices() {
  std::vector<Choice> list;
  for (int r = 0; r < int(ranks.size()); ++r)
    listReady(r, list);
  for (Side side : running)
    list.push_back({Choice::End, side});
  bool waits = isSlow && !list.empty() && random() % 16 > 0;
  for (size_t m = 0; m < meetings.size() && !waits; ++m)
    if (goesOn(meetings[m]))
      list.push_back({Choice::Meet, {}, m});
  auto isOfLazy = [&](const Choice &choice) {
    return choice.what != Choice::Meet && choice.side.rank == lazy &&
           taskOf(choice.side).instruction->stream() == abi::COMPUTE;
  };
  if (!std::all_of(list.begin(), list.end(), isOfLazy))
    std::erase_if(list, isOfLazy);
  return list;
}

void Machine::read(Side side) {
  Task &task = taskOf(side);
  if (!task.hasRead)
    task.read = ranks[size_t(side.rank)].memory.read(*task.instruction, task.action, task.isFirst);
  task.hasRead = true;
}

void Machine::begin(Side side) {
  Rank &rank = ranks[size_t(side.rank)];
  Task &task = taskOf(side);
  task.phase = Phase::Begun;
  for (const abi::Result *result : task.shows)
    rank.shown[result] = rank.memory.contentOf(result->buffer());
  if (task.fills)
    rank.memory.fill(task.action, uint64_t(side.rank) * 64 + uint64_t(step));
  if (random() % 2)
    read(side);
  if (kind == DeviceKind::Thread && task.instruction->stream() == abi::COMMUNICATION)
    rank.queue.push_back(side.task);
  else if (task.meeting >= 0)
    meetings[size_t(task.meeting)].come.push_back(side);
  else
    running.push_back(side);
}

void Machine::finish(Side side) {
  Task &task = taskOf(side);
  read(side);
  uint64_t hash = meaningOf(*task.instruction);
  for (uint64_t value : task.read)
    hash = mix(hash, value);
  ranks[size_t(side.rank)].memory.write(*task.instruction, task.action, hash);
  task.phase = Phase::Done;
}

/// Whether all sides that the rendezvous needs have arrived. No side may still be busy with an
/// earlier run of its instruction, or with an earlier member of its fused collective. A buffered
/// message needs only its sender.
bool Machine::goesOn(const Meeting &meeting) {
  auto isOver = [&](int rank, int task) {
    return task < 0 || taskOf({rank, task}).phase == Phase::Done;
  };
  auto isFree = [&](Side side) {
    const Task &task = taskOf(side);
    return isOver(side.rank, task.before) && isOver(side.rank, task.fusedWith);
  };
  auto isKept = [&](Side side) {
    return buffers && !meeting.isSent && sends(taskOf(side)) && isFree(side);
  };
  if (std::any_of(meeting.come.begin(), meeting.come.end(), isKept))
    return true;
  return meeting.sides > 0 && meeting.come.size() == meeting.sides &&
         std::all_of(meeting.come.begin(), meeting.come.end(), isFree);
}

/// Whether all sides make the same call, in the same fused collective.
bool Machine::doMatch(const Meeting &meeting) {
  std::set<std::pair<std::string, bool>> calls;
  for (Side side : meeting.come) {
    const abi::Instruction &instruction = *taskOf(side).instruction;
    calls.insert({callOf(instruction), instruction.collective().fused()});
  }
  return calls.size() == 1;
}

/// Buffers a sent message, or gives every side the values of all sides.
void Machine::meet(Meeting &meeting) {
  auto sender = std::find_if(meeting.come.begin(), meeting.come.end(),
                             [&](Side side) { return sends(taskOf(side)); });
  if (buffers && !meeting.isSent && sender != meeting.come.end()) {
    read(*sender);
    taskOf(*sender).phase = Phase::Done;
    meeting.isSent = true;
    return;
  }
  std::sort(meeting.come.begin(), meeting.come.end());
  uint64_t all = 0;
  for (Side side : meeting.come) {
    read(side);
    for (uint64_t value : taskOf(side).read)
      all = mix(all, value);
  }
  const abi::Instruction &first = *taskOf(meeting.come.front()).instruction;
  if (!isMessage(first))
    all = mix(all, hashOf(callOf(first)));
  for (Side side : meeting.come) {
    Task &task = taskOf(side);
    ranks[size_t(side.rank)].memory.write(*task.instruction, task.action, all);
    task.phase = Phase::Done;
  }
  meeting = {};
}

std::string Machine::stuck() const {
  for (size_t r = 0; r < ranks.size(); ++r)
    for (const Task &task : ranks[r].tasks)
      if (task.phase != Phase::Done)
        return "rank " + std::to_string(r) + " is stuck at " + task.instruction->op();
  return "";
}

/// Lets the first instruction of each queue arrive at its rendezvous, if it has not arrived yet.
void Machine::handInQueues() {
  for (int r = 0; r < int(ranks.size()); ++r) {
    Rank &rank = ranks[size_t(r)];
    while (!rank.queue.empty() && rank.tasks[size_t(rank.queue.front())].phase == Phase::Done)
      rank.queue.pop_front();
    if (rank.queue.empty())
      continue;
    Side side{r, rank.queue.front()};
    std::vector<Side> &come = meetings[size_t(taskOf(side).meeting)].come;
    if (std::find(come.begin(), come.end(), side) == come.end())
      come.push_back(side);
  }
}

/// Advances the lists of host threads past completed tasks.
void Machine::moveThreads() {
  for (Rank &rank : ranks)
    while (kind == DeviceKind::Thread && rank.next < rank.tasks.size() &&
           rank.tasks[rank.next].phase == Phase::Done)
      ++rank.next;
}

void Machine::prepareStep() {
  TaskMaker maker(executable);
  for (int64_t r = 0; r < int64_t(ranks.size()); ++r) {
    Rank &rank = ranks[size_t(r)];
    rank.memory.forget();
    rank.tasks = maker.make(r);
    rank.next = 0;
  }
  meetings.clear();
  for (size_t sides : maker.sides)
    meetings.push_back({.sides = sides, .come = {}});
}

/// Executes a choice. Returns false if the sides of a rendezvous do not match.
bool Machine::take(const Choice &choice) {
  if (choice.what == Choice::Meet) {
    Meeting &meeting = meetings[choice.meeting];
    if (meeting.come.size() == meeting.sides && !doMatch(meeting))
      return false;
    meet(meeting);
  } else if (choice.what == Choice::End) {
    finish(choice.side);
    running.erase(std::find(running.begin(), running.end(), choice.side));
  } else {
    begin(choice.side);
    Rank &rank = ranks[size_t(choice.side.rank)];
    if (kind == DeviceKind::Thread && taskOf(choice.side).instruction->stream() != abi::COMPUTE)
      ++rank.next;
  }
  return true;
}

bool Machine::runStep(int number) {
  step = number;
  prepareStep();
  for (;;) {
    handInQueues();
    std::vector<Choice> list = choices();
    if (list.empty())
      break;
    if (!take(list[random() % list.size()])) {
      outcome.failure = "calls do not match";
      return false;
    }
    moveThreads();
  }
  outcome.failure = stuck();
  return outcome.failure.empty();
}

Outcome Machine::run() {
  for (int64_t r = 0; r < abi::rankCount(executable.mesh()); ++r) {
    const abi::Program &program = executable.programs(abi::programOfRank(executable, r));
    ranks.push_back({&program, HashMemory(executable, program, random)});
  }
  for (int i = 0; i < 2; ++i)
    if (!runStep(i))
      return outcome;
  auto add = [&](const std::vector<uint64_t> &values) {
    outcome.values.insert(outcome.values.end(), values.begin(), values.end());
  };
  for (Rank &rank : ranks) {
    for (const abi::Parameter &parameter : rank.program->parameters())
      add(rank.memory.contentOf(parameter.buffer()));
    for (const abi::Result &result : rank.program->results())
      add(rank.shown[&result]);
  }
  return outcome;
}

} // namespace

Outcome interpret(const abi::Executable &executable, DeviceKind kind, uint64_t seed) {
  return Machine(executable, kind, seed).run();
}

} // namespace pcc::test
