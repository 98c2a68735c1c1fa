// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/RankThreads.h"

#include "runtime/execute/Watchdog.h"

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
constexpr auto glance = std::chrono::milliseconds(50);
constexpr auto checkup = std::chrono::seconds(1);
constexpr auto grace = std::chrono::seconds(2);

/// The results of the rank threads, read by the watching thread.
struct Ending {
  explicit Ending(size_t ranks) : statuses(ranks), left(ranks) {}

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

class Watch {
public:
  Watch(const RankThreadsTask &task, Ending &ending) : task(task), ending(ending) {}

  /// Returns when all ranks have ended, or when the run was aborted and the time to return is over.
  /// In the second case `allEnded` is false.
  Status untilEnd(bool &allEnded) {
    std::unique_lock lock(ending.mutex);
    while (ending.left > 0 && !isHopeless()) {
      ending.changed.wait_for(lock, glance);
      lookAround();
    }
    allEnded = ending.left == 0;
    return outcome();
  }

private:
  bool isHopeless() const { return givenUp && Clock::now() > *givenUp + grace; }

  void lookAround() {
    if (givenUp)
      return;
    for (const std::optional<Status> &status : ending.statuses)
      if (status && !status->ok())
        givenUp = Clock::now();
    if (!givenUp)
      lookAtPeers();
    if (!givenUp && task.timeOut > 0)
      lookAtTheClock();
  }

  void lookAtPeers() {
    if (!task.checkPeers || Clock::now() < nextCheckup)
      return;
    nextCheckup = Clock::now() + checkup;
    if (Status status = task.checkPeers(); !status.ok())
      giveUp(status, status.describe());
  }

  void lookAtTheClock() {
    std::vector<RankWatch> ranks;
    for (size_t r = 0; r < task.progress.size(); ++r)
      ranks.push_back({task.progress[r], ending.statuses[r].has_value()});
    if (!isOverdue(ranks, task.timeOut))
      return;
    std::string table = progressTable(ranks, task.firstRank);
    giveUp(Status(StatusKind::TimedOut, fmt::format("no answer within {} s{}", task.timeOut,
                                                    task.tellAll ? task.tellAll(table) : table)),
           "the time limit is over");
  }

  void giveUp(Status status, const std::string &reason) {
    givenUp = Clock::now();
    found = std::move(status);
    task.abort(reason);
  }

  /// Returns the error found by the watching thread, or else a rank's own failure. The Aborted
  /// status of a rank is only a consequence of these.
  Status outcome() const {
    if (!found.ok())
      return found;
    Status aborted;
    for (const std::optional<Status> &status : ending.statuses) {
      if (!status || status->ok())
        continue;
      if (status->kind() != StatusKind::Aborted)
        return *status;
      aborted = *status;
    }
    return aborted;
  }

  const RankThreadsTask &task;
  Ending &ending;
  std::optional<Clock::time_point> givenUp;
  Clock::time_point nextCheckup = Clock::now() + checkup;
  /// The error for which the watching thread aborted the run.
  Status found;
};

void runRank(const RankThreadsTask &task, Ending &ending, int64_t rank) {
  Status status = task.body(rank);
  if (!status.ok())
    task.abort(fmt::format("stopped, because rank {} failed", task.firstRank + rank));
  ending.leave(rank, std::move(status));
}

/// Starts a thread for each rank. If the system provides no more threads, the remaining ranks fail.
std::vector<std::thread> startThreads(const std::shared_ptr<const RankThreadsTask> &task,
                                      const std::shared_ptr<Ending> &ending) {
  int64_t ranks = int64_t(task->progress.size());
  std::vector<std::thread> threads;
  try {
    for (int64_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([task, ending, rank] { runRank(*task, *ending, rank); });
  } catch (const std::system_error &error) {
    std::string reason = fmt::format("the system gives no thread for {} of {} ranks: {}",
                                     ranks - int64_t(threads.size()), ranks, error.what());
    task->abort(reason);
    for (int64_t rank = int64_t(threads.size()); rank < ranks; ++rank)
      ending->leave(rank, Status::failed(reason));
  }
  return threads;
}

} // namespace

Status runRankThreads(std::shared_ptr<const RankThreadsTask> task) {
  auto ending = std::make_shared<Ending>(task->progress.size());
  std::vector<std::thread> threads = startThreads(task, ending);
  bool allEnded = false;
  Status status = Watch(*task, *ending).untilEnd(allEnded);
  for (std::thread &thread : threads)
    allEnded ? thread.join() : thread.detach();
  return status;
}

} // namespace pcc::runtime
