// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ranks that wait for other ranks longer than the time limit, and reports the state of every
// rank.

#pragma once

#include "runtime/collective/World.h"
#include "runtime/execute/observe/Progress.h"

#include <span>

namespace pcc::runtime {

/// The watchdog's view of a rank.
struct RankWatch {
  const Progress *progress;
  /// Whether the rank's thread has ended.
  bool ended = false;
};

/// Returns true if a rank has been waiting for more than `limitSeconds`.
bool isOverdue(std::span<const RankWatch> ranks, double limitSeconds);

/// Formats a table with one line per rank: its last finished instruction, its current instruction
/// or wait, and the duration of the wait. Waiting and running ranks are distinguished, so that the
/// rank that blocks the others stands out. `first` is the number of the first rank in `ranks`.
std::string progressTable(std::span<const RankWatch> ranks, int64_t first = 0);

/// Formats the table of all processes' ranks, given `own`, the table of this process. It asks each
/// other process and names those that do not answer. Only the lowest process that answers returns
/// the whole table. The others return just the names, after a delay: the launcher ends all
/// processes when the first one ends.
std::string tableOfAllProcesses(World &world, const std::string &own);

} // namespace pcc::runtime
