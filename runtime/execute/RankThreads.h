// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread per rank, watched by the thread that started them.

#ifndef PCC_RUNTIME_EXECUTE_RANKTHREADS_H
#define PCC_RUNTIME_EXECUTE_RANKTHREADS_H

#include "runtime/base/Base.h"
#include "runtime/execute/Progress.h"

#include <functional>
#include <vector>

namespace pcc::runtime {

struct RankThreadsTask {
  /// What own rank number r does, counted from 0. Must own whatever it uses: a thread that never
  /// comes back is left behind.
  std::function<Status(int64_t rank)> body;
  /// Ends all waits of all ranks.
  std::function<void(const std::string &reason)> abort;
  /// An error that nobody but the watching thread looks for while ranks wait, and of which rank;
  /// asked once a second. Null: there is none.
  std::function<Status()> checkPeers = {};
  std::vector<const Progress *> progress;
  /// Seconds that a rank may wait for others; 0: no limit.
  double timeOut = 0;
  /// The rank of number 0, for messages.
  int64_t firstRank = 0;
  /// Makes the message of a time-out from the table of these ranks, where there are others; null:
  /// the table is it.
  std::function<std::string(const std::string &table)> tellAll = {};
};

/// Runs the task on as many threads as it has ranks. Returns the first failure, the time-out, or
/// success.
Status runRankThreads(std::shared_ptr<const RankThreadsTask> task);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_RANKTHREADS_H
