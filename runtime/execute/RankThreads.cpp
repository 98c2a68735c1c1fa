// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calling thread checks the ranks every 50 ms and the communicators once a second. After a
// failure or timeout, the run is aborted, and the ranks have 2 s to return. If one does not, all
// threads are detached.

#include "runtime/execute/RankThreads.h"

#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace pcc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// How often the ranks, and the communicator that joins them, are checked; and how long ranks may
/// take to return after the run is aborted.
constexpr auto pollInterval = std::chrono::milliseconds(50);
constexpr auto peerCheckInterval = std::chrono::seconds(1);
constexpr auto gracePeriod = std::chrono::seconds(2);

/// The results of the rank threads, read by the watching thread.
struct RankResults {
  explicit RankResults(size_t ranks) : statuses(ranks), left(ranks) {}

  void leave(int64_t rank, Status status) {
    std::lock_guard lock(mutex);
    statuses[rank] = std::move(status);
    --left;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::optional<Status>> statuses;
  size_t left;
};

class RankSupervisor {
public:
  RankSupervisor(const RankThreadsTask &task, RankResults &rankResults)
      : task(task), rankResults(rankResults) {}

  /// Returns when all ranks have ended, or when the run was aborted and the time to return is over.
  /// In the second case `allEnded` is false.
  Status waitForRanks(bool &allEnded) {
    std::unique_lock lock(rankResults.mutex);
    while (rankResults.left > 0 && !isGraceOver()) {
      rankResults.changed.wait_for(lock, pollInterval);
      bool hasFailed = std::ranges::any_of(
          rankResults.statuses, [](const auto &status) { return status && !status->ok(); });
      lock.unlock(); // asking other processes takes time
      poll(hasFailed);
      lock.lock();
    }
    allEnded = rankResults.left == 0;
    return outcome();
  }

private:
  bool isGraceOver() const { return abortTime && Clock::now() > *abortTime + gracePeriod; }

  void poll(bool hasFailed) {
    if (abortTime)
      return;
    if (hasFailed)
      abortTime = Clock::now();
    if (!abortTime)
      pollPeers();
    if (!abortTime && task.timeout > 0)
      checkTimeout();
  }

  void pollPeers() {
    if (!task.checkPeers || Clock::now() < nextPeerCheck)
      return;
    nextPeerCheck = Clock::now() + peerCheckInterval;
    if (Status status = task.checkPeers(); !status.ok())
      abortRun(status, status.describe());
  }

  ProcessWatch watch() const {
    ProcessWatch process{.ranks = {}, .work = task.work, .firstRank = task.firstRank};
    std::lock_guard lock(rankResults.mutex);
    for (size_t r = 0; r < task.progress.size(); ++r)
      process.ranks.push_back({task.progress[r], rankResults.statuses[r].has_value()});
    return process;
  }

  void checkTimeout() {
    ProcessWatch own = watch();
    lastWork = std::max(lastWork, lastWorkOf(own, task.timeout));
    if (!isOverdue(own, task.timeout, lastWork))
      return;
    PeerAnswers answers;
    if (task.world)
      answers = askPeers(*task.world);
    // The wait may have ended meanwhile.
    own = watch();
    if (!isOverdue(own, task.timeout, lastWork))
      return;
    lastWork = std::max(lastWork, answers.lastWork);
    bool isSilent = task.world && answers.isAnyoneSilent(task.world->process());
    if (!isSilent && !isOverdue(own, task.timeout, lastWork))
      return;
    std::string table = progressTable(own);
    if (task.world)
      table = tableOfAllProcesses(*task.world, std::move(answers), table);
    abortRun(
        Status(StatusKind::TimedOut, fmt::format("no answer within {} s{}", task.timeout, table)),
        "the time limit is over");
  }

  void abortRun(Status status, const std::string &reason) {
    abortTime = Clock::now();
    found = std::move(status);
    task.abort(reason);
  }

  /// Returns the error found by the watching thread, or else a rank's own failure. The Aborted
  /// status of a rank is only a consequence of these.
  Status outcome() const {
    if (!found.ok())
      return found;
    Status aborted;
    for (const std::optional<Status> &status : rankResults.statuses) {
      if (!status || status->ok())
        continue;
      if (status->kind() != StatusKind::Aborted)
        return *status;
      aborted = *status;
    }
    return aborted;
  }

  const RankThreadsTask &task;
  RankResults &rankResults;
  /// The last time at which somebody of the run was known to be at work.
  int64_t lastWork = 0;
  std::optional<Clock::time_point> abortTime;
  Clock::time_point nextPeerCheck = Clock::now() + peerCheckInterval;
  /// The error for which the watching thread aborted the run.
  Status found;
};

/// Runs a rank. An exception, most often of a full memory, is the failure of that rank.
Status runBody(const RankThreadsTask &task, int64_t rank) {
  bool hasThrown = true;
  Status status = catchExceptions([&] {
    Status own = task.body(rank);
    hasThrown = false;
    return own;
  });
  return hasThrown ? std::move(status).at({.rank = task.firstRank + rank}) : status;
}

void runRank(const RankThreadsTask &task, RankResults &rankResults, int64_t rank) {
  Status status = runBody(task, rank);
  if (!status.ok())
    (void)catchExceptions([&] { // the supervisor ends the run even if this fails
      task.abort(fmt::format("stopped, because rank {} failed", task.firstRank + rank));
      return Status();
    });
  rankResults.leave(rank, std::move(status));
}

/// Starts a thread for each rank. If the system provides no more threads, the remaining ranks fail.
std::vector<std::thread> startThreads(const std::shared_ptr<const RankThreadsTask> &task,
                                      const std::shared_ptr<RankResults> &rankResults) {
  int64_t ranks = int64_t(task->progress.size());
  std::vector<std::thread> threads;
  try {
    for (int64_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([task, rankResults, rank] { runRank(*task, *rankResults, rank); });
  } catch (const std::system_error &error) {
    std::string reason = fmt::format("cannot start threads for {} of {} ranks: {}",
                                     ranks - int64_t(threads.size()), ranks, error.what());
    task->abort(reason);
    for (int64_t rank = int64_t(threads.size()); rank < ranks; ++rank)
      rankResults->leave(rank, Status::failed(reason));
  }
  return threads;
}

} // namespace

Status runRankThreads(std::shared_ptr<const RankThreadsTask> task) {
  auto rankResults = std::make_shared<RankResults>(task->progress.size());
  std::vector<std::thread> threads = startThreads(task, rankResults);
  bool allEnded = false;
  Status status =
      catchExceptions([&] { return RankSupervisor(*task, *rankResults).waitForRanks(allEnded); });
  if (!allEnded)
    (void)catchExceptions([&] { // again, in case that an exception ended the supervisor
      task->abort(status.message());
      return Status();
    });
  for (std::thread &thread : threads)
    allEnded ? thread.join() : thread.detach();
  return status;
}

} // namespace pcc::runtime
