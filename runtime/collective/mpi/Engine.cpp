// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each turn of the loop runs submitted jobs, advances every activity, probes for messages of other
// processes, and rests. A new job ends the rest. With a core for every process, the loop spins for
// the first 20 µs of a wait. An exception ends what threw it, but not the loop: other processes
// must hear of it, and ask.

#include "runtime/collective/mpi/Engine.h"

#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <future>
#include <sys/prctl.h>

namespace pcc::runtime::mpi {
namespace {

constexpr int64_t microsecond = 1000, millisecond = 1000 * microsecond;
/// Interval of polls for other processes' questions, and the sleep of an engine without work.
constexpr int64_t probeInterval = 10 * millisecond;
/// Spin time before a sleep, if every process has a core.
constexpr int64_t spinTime = 20 * microsecond;
constexpr int64_t shortestSleep = 10 * microsecond, longestSleep = millisecond;

} // namespace

Expected<std::shared_ptr<Engine>> Engine::begin(const PccMpi &library, bool oversubscribed,
                                                const MeetingLimits &limits) {
  std::shared_ptr<Engine> engine(new Engine(library, oversubscribed, limits));
  Status status = startThread(engine->thread, [engine] { loop(engine); });
  if (!status.ok())
    return status;
  status = engine->wait("the start of MPI", limits.begin, [engine] {
    int32_t enough = 1;
    int code = engine->library.begin(&engine->ownProcess, &engine->allProcesses, &enough);
    if (code != 0 || enough)
      return statusOf(engine->library, code);
    return Status::unavailable(
        "MPI: expected thread level 'funneled' or more, got 'single'; use an "
        "MPI that is built with threads");
  });
  if (status.ok())
    return engine;
  if (status.kind() != StatusKind::TimedOut)
    engine->stop();
  return status;
}

Engine::~Engine() {
  if (thread.joinable())
    thread.detach();
}

void Engine::submit(std::function<void()> job) {
  {
    std::lock_guard lock(mutex);
    inbox.push_back(std::move(job));
  }
  bell.notify_one();
}

Status Engine::meet(const std::string &what, std::function<Status()> job) {
  return wait(what, limits.later, std::move(job));
}

Status Engine::wait(const std::string &what, double seconds, std::function<Status()> job) {
  auto done = std::make_shared<std::promise<Status>>();
  std::future<Status> result = done->get_future();
  submit([done, job = std::move(job)] { done->set_value(catchExceptions(job)); });
  if (result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready)
    return result.get();
  return {StatusKind::TimedOut,
          fmt::format("{}: not all processes have come within {} s", what, seconds)};
}

void Engine::add(std::shared_ptr<Activity> activity) {
  if (std::find(active.begin(), active.end(), activity) == active.end())
    active.push_back(std::move(activity));
}

void Engine::watch(std::function<bool()> probe, std::function<void(const Status &)> failed) {
  submit([this, probe = std::move(probe), failed = std::move(failed)] {
    watcher = probe;
    failureListener = failed;
  });
}

Status Engine::end() {
  Status status = wait("the end of MPI", limits.end, [self = shared_from_this()] {
    int code = self->library.end();
    self->active.clear();
    self->failedActivities.clear();
    self->watcher = nullptr;
    self->failureListener = nullptr;
    return statusOf(self->library, code);
  });
  if (status.kind() != StatusKind::TimedOut)
    stop();
  return status;
}

void Engine::stop() {
  {
    std::lock_guard lock(mutex);
    ending = true;
  }
  bell.notify_one();
  thread.join();
}

void Engine::loop(std::shared_ptr<Engine> engine) {
  prctl(PR_SET_TIMERSLACK, 1UL); // makes short sleeps accurate
  for (;;) {
    bool moved = engine->runJobs();
    moved |= engine->advanceAll();
    moved |= engine->runProbe();
    moved |= engine->reportFailure();
    {
      std::lock_guard lock(engine->mutex);
      if (engine->ending)
        return;
    }
    engine->rest(moved);
  }
}

bool Engine::runJobs() {
  std::list<std::function<void()>> jobs;
  {
    std::lock_guard lock(mutex);
    jobs.swap(inbox);
  }
  for (const std::function<void()> &job : jobs)
    note(catchExceptions([&] {
      job();
      return Status();
    }));
  return !jobs.empty();
}

bool Engine::advanceAll() {
  bool moved = false;
  for (auto activity = active.begin(); activity != active.end();) {
    Status status = catchExceptions([&] {
      moved |= (*activity)->advance();
      return Status();
    });
    auto current = activity++;
    if (!status.ok())
      failedActivities.splice(failedActivities.end(), active, current);
    else if ((*current)->isIdle())
      active.erase(current);
    note(std::move(status));
  }
  return moved;
}

bool Engine::runProbe() {
  int64_t now = nowNanoseconds();
  if (!watcher || now - lastProbe < probeInterval)
    return false;
  lastProbe = now;
  bool found = false;
  note(catchExceptions([&] {
    found = watcher();
    return Status();
  }));
  return found;
}

/// Remembers the first failure.
void Engine::note(Status status) {
  if (failure.ok() && !status.ok())
    failure = std::move(status);
}

/// Passes a failure on, again in the next turn if that fails for want of memory.
bool Engine::reportFailure() {
  if (failure.ok() || !failureListener)
    return false;
  bool isTaken = catchExceptions([&] {
                   failureListener(failure);
                   return Status();
                 }).ok();
  if (isTaken)
    failure = Status();
  return isTaken;
}

void Engine::rest(bool moved) {
  int64_t now = nowNanoseconds();
  if (moved) {
    lastMove = now;
    return;
  }
  int64_t waited = now - lastMove;
  bool spins = !active.empty() && !isOversubscribed && waited < spinTime;
  if (spins)
    return;
  int64_t sleep =
      active.empty() ? probeInterval : std::clamp(waited / 4, shortestSleep, longestSleep);
  std::unique_lock lock(mutex);
  if (inbox.empty() && !ending)
    bell.wait_for(lock, std::chrono::nanoseconds(sleep));
}

} // namespace pcc::runtime::mpi
