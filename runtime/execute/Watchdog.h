// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ranks that wait for others longer than the time limit, and says what every rank is doing.

#ifndef PCC_RUNTIME_EXECUTE_WATCHDOG_H
#define PCC_RUNTIME_EXECUTE_WATCHDOG_H

#include "runtime/collective/World.h"
#include "runtime/execute/RankExecutor.h"

#include <span>

namespace pcc::runtime {

/// What the watchdog knows of a rank.
struct RankWatch {
  const Progress *progress;
  /// The rank's thread has ended.
  bool ended = false;
};

/// True if a rank has been waiting for more than `limitSeconds`.
bool isOverdue(std::span<const RankWatch> ranks, double limitSeconds);

/// A table with a line for each rank: the record it finished last, and what it does or waits for
/// and since when. Ranks that wait are told from those that do not, so that the one that holds the
/// others up stands out. `first` is the rank of the first one.
std::string progressTable(std::span<const RankWatch> ranks, int64_t first = 0);

/// The table of all processes' ranks, given that of the own ones: each other process is asked, and
/// those that do not answer are named. Only the lowest process that answers has the whole table,
/// the others have the names, and come back later: who started the processes ends all of them when
/// the first one ends.
std::string tableOfAll(World &world, const std::string &own);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_WATCHDOG_H
