// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each turn of the loop runs submitted jobs, advances every activity, probes for messages of other
// processes, and rests. A new job ends the rest. With a core for every process, the loop spins for
// the first 20 µs of a wait.

#include "runtime/collective/mpi/Engine.h"

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

Expected<std::shared_ptr<Engine>> Engine::begin(const PccMpi &library, bool oversubscribed) {
  std::shared_ptr<Engine> engine(new Engine(library, oversubscribed));
  engine->thread = std::thread(loop, engine);
  int code = 0;
  int32_t enough = 1;
  engine->run([&] { code = library.begin(&engine->ownProcess, &engine->allProcesses, &enough); });
  if (code != 0 || !enough)
    engine->stop();
  if (code != 0)
    return statusOf(library, code);
  if (!enough)
    return Status::unavailable(
        "MPI: expected thread level 'funneled' or more, got 'single'; use an "
        "MPI that is built with threads");
  return engine;
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

void Engine::run(const std::function<void()> &job) {
  std::promise<void> done;
  submit([&] {
    job();
    done.set_value();
  });
  done.get_future().wait();
}

void Engine::add(std::shared_ptr<Activity> activity) {
  if (std::find(active.begin(), active.end(), activity) == active.end())
    active.push_back(std::move(activity));
}

void Engine::watch(std::function<bool()> probe) {
  run([&] { watcher = std::move(probe); });
}

Status Engine::end() {
  int code = 0;
  run([&] {
    active.clear(); // operations that an aborted world left in flight
    watcher = nullptr;
    code = library.end();
  });
  stop();
  return statusOf(library, code);
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
    {
      std::lock_guard lock(engine->mutex);
      if (engine->ending)
        return;
    }
    engine->rest(moved);
  }
}

bool Engine::runJobs() {
  std::vector<std::function<void()>> jobs;
  {
    std::lock_guard lock(mutex);
    jobs.swap(inbox);
  }
  for (const std::function<void()> &job : jobs)
    job();
  return !jobs.empty();
}

bool Engine::advanceAll() {
  bool moved = false;
  for (const std::shared_ptr<Activity> &activity : active)
    moved |= activity->advance();
  std::erase_if(active,
                [](const std::shared_ptr<Activity> &activity) { return activity->isIdle(); });
  return moved;
}

bool Engine::runProbe() {
  int64_t now = nowNanoseconds();
  if (!watcher || now - lastProbe < probeInterval)
    return false;
  lastProbe = now;
  return watcher();
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
