// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one thread per rank, watched by the thread that started them.

#pragma once

#include "runtime/base/Base.h"
#include "runtime/execute/observe/Watchdog.h"

#include <functional>
#include <vector>

namespace pcc::runtime {

struct RankThreadsTask {
  /// The work of this process's rank number `rank`, counted from 0. It must own whatever it uses: a
  /// thread that never returns is detached.
  std::function<Status(int64_t rank)> body;
  /// Ends all waits of all ranks.
  std::function<void(const std::string &reason)> abort;
  /// Returns an error, with its rank, that only the watching thread detects while ranks wait.
  /// Called once a second; null: no such check.
  std::function<Status()> checkPeers = {};
  std::vector<const Progress *> progress;
  /// Work of this process outside of the rank threads; null: none is marked.
  const WorkProgress *work = nullptr;
  /// Seconds that a rank may wait for other ranks while nobody is at known work (Watchdog.h); 0: no
  /// limit.
  double timeout = 0;
  /// The number of this process's first rank in the whole run, for messages.
  int64_t firstRank = 0;
  /// Joins other processes that have ranks of the run; null: all ranks are here.
  World *world = nullptr;
};

/// Runs the task on one thread per rank. Returns the first failure, the timeout, or success.
Status runRankThreads(std::shared_ptr<const RankThreadsTask> task);

} // namespace pcc::runtime
