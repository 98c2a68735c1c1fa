// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the atomic progress of ranks while they run, so the rows of a table may differ slightly in
// time. An answer to another process is the age of the last work in milliseconds, a line feed, and
// the table: clocks of two machines differ. With several processes, all but the first that answers
// wait a second before they return.

#include "runtime/execute/observe/Watchdog.h"

#include "runtime/abi/program/CollectiveName.h"

#include <algorithm>
#include <charconv>
#include <thread>

namespace pcc::runtime {
namespace {

std::string nameOf(const abi::Instruction *instruction) {
  if (!instruction)
    return "-";
  std::string kind = "instruction";
  if (instruction->has_collective())
    kind = abi::collectiveName(instruction->collective().kind());
  return instruction->op().empty() ? kind : fmt::format("{} '{}'", kind, instruction->op());
}

double secondsSince(int64_t time) { return double(nowNanoseconds() - time) / 1e9; }

std::string nameOfWait(const Progress &progress, const abi::Instruction *current) {
  if (const char *name = progress.waitName.load(std::memory_order_relaxed))
    return name;
  bool forDevice = progress.waitKind.load(std::memory_order_relaxed) == WaitKind::Device;
  if (current)
    return (forDevice ? "for its device in " : "in ") + nameOf(current);
  return forDevice ? "for its device" : "for another rank";
}

std::string describeWork(const WorkProgress &work, const char *what) {
  return fmt::format("{}, without progress for {:.1f} s", what,
                     secondsSince(work.lastBeat.load(std::memory_order_relaxed)));
}

std::string stateOf(const RankWatch &rank) {
  const Progress &progress = *rank.progress;
  int64_t since = progress.waitingSince.load(std::memory_order_relaxed);
  const abi::Instruction *current = progress.current.load(std::memory_order_relaxed);
  if (rank.ended)
    return "has ended";
  if (since)
    return fmt::format("waits {} for {:.1f} s", nameOfWait(progress, current), secondsSince(since));
  if (const char *what = progress.work.what.load(std::memory_order_relaxed))
    return describeWork(progress.work, what);
  return current ? "runs " + nameOf(current) : "is between instructions";
}

/// Returns the time of the last beat of work; now, if the work is under way and not stuck.
int64_t lastTimeOf(const WorkProgress &work, bool isWaiting, double limitSeconds) {
  int64_t last = work.lastBeat.load(std::memory_order_relaxed);
  if (!work.what.load(std::memory_order_relaxed) || isWaiting)
    return last;
  double patience = std::max(limitSeconds, work.patience.load(std::memory_order_relaxed));
  return secondsSince(last) < patience ? nowNanoseconds() : last;
}

} // namespace

int64_t lastWorkOf(const ProcessWatch &process, double limitSeconds) {
  int64_t last = process.work ? lastTimeOf(*process.work, false, limitSeconds) : 0;
  for (const RankWatch &rank : process.ranks) {
    bool isWaiting = rank.progress->waitingSince.load(std::memory_order_relaxed) != 0;
    last = std::max(last, lastTimeOf(rank.progress->work, isWaiting, limitSeconds));
  }
  return last;
}

bool isOverdue(const ProcessWatch &process, double limitSeconds, int64_t lastWork) {
  return std::ranges::any_of(process.ranks, [&](const RankWatch &rank) {
    int64_t since = rank.progress->waitingSince.load(std::memory_order_relaxed);
    bool joins = rank.progress->waitKind.load(std::memory_order_relaxed) == WaitKind::Join;
    double limit = joins ? std::max(limitSeconds, joinPatience) : limitSeconds;
    return since != 0 && secondsSince(std::max(since, lastWork)) > limit;
  });
}

std::string progressTable(const ProcessWatch &process) {
  size_t width = 0;
  for (const RankWatch &rank : process.ranks)
    width = std::max(width, nameOf(rank.progress->finished.load()).size());
  std::string table;
  for (size_t r = 0; r < process.ranks.size(); ++r) {
    const RankWatch &rank = process.ranks[r];
    table += fmt::format("\n  rank {:>4}, step {:>6}: finished {:<{}}  {}",
                         process.firstRank + int64_t(r), rank.progress->step.load(),
                         nameOf(rank.progress->finished.load()), width, stateOf(rank));
  }
  if (const char *what =
          process.work ? process.work->what.load(std::memory_order_relaxed) : nullptr)
    table += fmt::format("\n  the process of rank {} {}", process.firstRank,
                         describeWork(*process.work, what));
  return table;
}

bool PeerAnswers::isAnyoneSilent(int ownProcess) const {
  for (size_t process = 0; process < tables.size(); ++process)
    if (int(process) != ownProcess && !tables[process])
      return true;
  return false;
}

std::string answerPeer(const ProcessWatch &process, double limitSeconds) {
  int64_t last = lastWorkOf(process, limitSeconds);
  int64_t age = last == 0 ? -1 : std::max<int64_t>(0, (nowNanoseconds() - last) / 1'000'000);
  return fmt::format("{}\n{}", age, progressTable(process));
}

PeerAnswers askPeers(World &world) {
  constexpr double patience = 1;
  PeerAnswers answers{.tables = world.ask(patience)};
  int64_t now = nowNanoseconds();
  for (std::optional<std::string> &answer : answers.tables) {
    if (!answer)
      continue;
    int64_t age = -1;
    size_t end = answer->find('\n');
    (void)std::from_chars(answer->data(), answer->data() + std::min(end, answer->size()), age);
    if (age >= 0)
      answers.lastWork = std::max(answers.lastWork, now - age * 1'000'000);
    answer->erase(0, end == std::string::npos ? end : end + 1);
  }
  return answers;
}

/// Notes of the ranks of a process whose table is missing or empty.
static std::string lineOf(const World &world, int process, const char *what) {
  return fmt::format("\n  {}: {} {}", world.placement.nameRanksOf(process), world.nameOf(process),
                     what);
}

std::string tableOfAllProcesses(const World &world, PeerAnswers answers, const std::string &own) {
  answers.tables[size_t(world.process())] = own;
  std::string table, silent;
  int reporter = -1;
  for (int process = 0; process < world.processes(); ++process) {
    const std::optional<std::string> &answer = answers.tables[size_t(process)];
    if (answer && reporter < 0)
      reporter = process;
    if (!answer)
      silent += lineOf(world, process, "does not answer");
    table += !answer           ? lineOf(world, process, "does not answer")
             : answer->empty() ? lineOf(world, process, "does not run its ranks")
                               : *answer;
  }
  if (reporter == world.process())
    return table;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return silent.empty() ? own : silent;
}

} // namespace pcc::runtime
