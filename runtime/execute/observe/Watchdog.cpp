// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the atomic progress of ranks while they run, so the rows of a table may differ slightly in
// time. With several processes, all but the first that answers wait a second before they return.

#include "runtime/execute/observe/Watchdog.h"

#include <algorithm>
#include <thread>

namespace pcc::runtime {
namespace {

std::string nameOf(const abi::Instruction *instruction) {
  if (!instruction)
    return "-";
  std::string kind = "instruction";
  if (instruction->has_collective())
    kind = collectiveName(instruction->collective().kind());
  return instruction->op().empty() ? kind : fmt::format("{} '{}'", kind, instruction->op());
}

std::string stateOf(const RankWatch &rank) {
  int64_t since = rank.progress->waitingSince.load(std::memory_order_relaxed);
  const abi::Instruction *current = rank.progress->current.load(std::memory_order_relaxed);
  if (rank.ended)
    return "has ended";
  if (since)
    return fmt::format("waits {} for {:.1f} s",
                       current ? "in " + nameOf(current) : "for its device or another process",
                       double(nowNanoseconds() - since) / 1e9);
  return current ? "runs " + nameOf(current) : "is between instructions";
}

} // namespace

bool isOverdue(std::span<const RankWatch> ranks, double limitSeconds) {
  int64_t now = nowNanoseconds();
  return std::any_of(ranks.begin(), ranks.end(), [&](const RankWatch &rank) {
    int64_t since = rank.progress->waitingSince.load(std::memory_order_relaxed);
    return since != 0 && double(now - since) / 1e9 > limitSeconds;
  });
}

std::string progressTable(std::span<const RankWatch> ranks, int64_t first) {
  size_t width = 0;
  for (const RankWatch &rank : ranks)
    width = std::max(width, nameOf(rank.progress->finished.load()).size());
  std::string table;
  for (size_t r = 0; r < ranks.size(); ++r)
    table += fmt::format("\n  rank {:>4}, step {:>6}: finished {:<{}}  {}", first + int64_t(r),
                         ranks[r].progress->step.load(), nameOf(ranks[r].progress->finished.load()),
                         width, stateOf(ranks[r]));
  return table;
}

namespace {

/// Formats "rank 2" or "ranks 2 to 3", and the note that their process does not answer.
std::string silentLine(const World &world, int process) {
  int first = world.placement.firstOf(process), last = world.placement.firstOf(process + 1) - 1;
  std::string ranks =
      first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
  return fmt::format("\n  {}: {} does not answer", ranks, world.nameOf(process));
}

} // namespace

std::string tableOfAllProcesses(World &world, const std::string &own) {
  constexpr double patience = 1;
  std::vector<std::optional<std::string>> answers = world.ask(patience);
  answers[size_t(world.process())] = own;
  std::string table, silent;
  int reporter = -1;
  for (int process = 0; process < world.processes(); ++process) {
    const std::optional<std::string> &answer = answers[size_t(process)];
    if (answer && reporter < 0)
      reporter = process;
    table += answer ? *answer : silentLine(world, process);
    silent += answer ? "" : silentLine(world, process);
  }
  if (reporter == world.process())
    return table;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return silent.empty() ? own : silent;
}

} // namespace pcc::runtime
