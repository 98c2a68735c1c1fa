// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds ranks that wait for other ranks longer than the time limit, and reports the state of every
// rank.
//
// A wait is overdue when for the time limit neither it began nor any rank or process of the run was
// seen at known work (Progress.h): then nobody does anything for which others should wait. So one
// who reads or writes slowly ends no run, as long as it moves on. The other processes are asked
// before a run is ended. One that does not answer is stopped or lost, whatever the others do.

#pragma once

#include "runtime/collective/World.h"
#include "runtime/execute/observe/Progress.h"

#include <optional>
#include <span>
#include <vector>

namespace pcc::runtime {

/// The watchdog's view of a rank.
struct RankWatch {
  const Progress *progress;
  /// Whether the rank's thread has ended.
  bool ended = false;
};

/// The watchdog's view of a process.
struct ProcessWatch {
  std::vector<RankWatch> ranks;
  /// Work outside of the rank threads; null: none is marked.
  const WorkProgress *work = nullptr;
  /// Number of the first rank.
  int64_t firstRank = 0;
};

/// Seconds that a rank may wait to join others, at least: loading takes longer than a transfer.
constexpr double joinPatience = 60;

/// Returns the last time at which the process was at known work; now, if it is, and the work moves
/// on within its patience or `limitSeconds`. A rank that waits in its work is not at work. 0:
/// never.
int64_t lastWorkOf(const ProcessWatch &process, double limitSeconds);

/// Returns whether a rank has been waiting for more than `limitSeconds`, and for as long after
/// `lastWork`, the last time at which somebody was at work.
bool isOverdue(const ProcessWatch &process, double limitSeconds, int64_t lastWork);

/// Formats a table with one line per rank: its last finished instruction, and its current
/// instruction, wait or work with its duration. Waiting and running ranks are distinguished, so
/// that the rank that blocks the others stands out. A last line has the work of the process, if
/// any.
std::string progressTable(const ProcessWatch &process);

/// Answers of the other processes of a run to the question what they do.
struct PeerAnswers {
  /// The last time at which one of them was at work, on this process's clock; 0: never.
  int64_t lastWork = 0;
  /// By process: the table of its ranks; nothing if it does not answer, and for this process.
  std::vector<std::optional<std::string>> tables;

  bool isAnyoneSilent(int ownProcess) const;
};

/// Formats the answer to askPeers() of another process.
std::string answerPeer(const ProcessWatch &process, double limitSeconds);

/// Asks all other processes, for at most a second.
PeerAnswers askPeers(World &world);

/// Formats the table of all processes' ranks, given `own`, the table of this process, and names
/// processes that did not answer. Only the lowest process that answered returns the whole table.
/// The others return just the names, after a delay: the launcher ends all processes when the first
/// one ends.
std::string tableOfAllProcesses(const World &world, PeerAnswers answers, const std::string &own);

} // namespace pcc::runtime
