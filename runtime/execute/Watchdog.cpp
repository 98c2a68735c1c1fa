// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/Watchdog.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

std::string nameOf(const abi::Record *record) {
  if (!record)
    return "-";
  std::string kind = "record";
  if (record->has_collective())
    kind = collectiveName(record->collective().kind());
  return record->op().empty() ? kind : fmt::format("{} '{}'", kind, record->op());
}

std::string stateOf(const RankWatch &rank) {
  int64_t since = rank.progress->waitingSince.load(std::memory_order_relaxed);
  const abi::Record *current = rank.progress->current.load(std::memory_order_relaxed);
  if (rank.ended)
    return "has ended";
  if (since)
    return fmt::format("waits in {} for {:.1f} s", nameOf(current),
                       double(nowNanoseconds() - since) / 1e9);
  return current ? "runs " + nameOf(current) : "is between records";
}

} // namespace

bool isOverdue(std::span<const RankWatch> ranks, double limitSeconds) {
  int64_t now = nowNanoseconds();
  return std::any_of(ranks.begin(), ranks.end(), [&](const RankWatch &rank) {
    int64_t since = rank.progress->waitingSince.load(std::memory_order_relaxed);
    return since != 0 && double(now - since) / 1e9 > limitSeconds;
  });
}

std::string progressTable(std::span<const RankWatch> ranks) {
  size_t width = 0;
  for (const RankWatch &rank : ranks)
    width = std::max(width, nameOf(rank.progress->finished.load()).size());
  std::string table;
  for (size_t r = 0; r < ranks.size(); ++r)
    table += fmt::format("\n  rank {:>4}, step {:>6}: finished {:<{}}  {}", r,
                         ranks[r].progress->step.load(), nameOf(ranks[r].progress->finished.load()),
                         width, stateOf(ranks[r]));
  return table;
}

} // namespace pcc::runtime
