// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one thread of a process that calls MPI. Ranks pass it what they start, and sleep. It
// progresses everything in flight, so communication continues while ranks compute.
//
// It must not occupy a core that a rank could use. Between two polls it sleeps a quarter of the
// time that it has waited so far, between 10 µs and 1 ms. So completion is noticed late by at most
// a quarter of the wait, or 10 µs. After at most 25 such sleeps the polls are 1 ms apart. If every
// process has a core, the engine spins for a short time first.

#pragma once

#include "runtime/collective/mpi/MpiLibrary.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pcc::runtime::mpi {

/// An operation that the engine progresses.
class Activity {
public:
  virtual ~Activity() = default;

  /// Progresses as far as possible without waiting. Returns whether it made progress. Called on the
  /// engine's thread, like all calls of MPI.
  virtual bool advance() = 0;
  /// Returns true if there is nothing to progress until it is added again.
  virtual bool isIdle() const = 0;
};

class Engine {
public:
  /// Begins MPI on a new thread. `oversubscribed`: processes outnumber the machine's cores, so the
  /// engine never spins. Errors: Unavailable if MPI does not support threads; MPI errors.
  static Expected<std::shared_ptr<Engine>> begin(const PccMpi &library, bool oversubscribed);
  ~Engine();

  const PccMpi &mpi() const { return library; }
  int process() const { return ownProcess; }
  int processes() const { return allProcesses; }

  /// Runs `job` on the engine's thread, after all jobs submitted before.
  void submit(std::function<void()> job);
  /// Does the same, and waits for the job.
  void run(const std::function<void()> &job);
  /// Progresses `activity` until it is idle. Called on the engine's thread.
  void add(std::shared_ptr<Activity> activity);
  /// Calls `probe` about every 10 ms; `probe` returns whether it found something.
  void watch(std::function<bool()> probe);

  /// Ends MPI; all processes must call it. Otherwise the destructor detaches the thread.
  Status end();

private:
  Engine(const PccMpi &library, bool oversubscribed)
      : library(library), isOversubscribed(oversubscribed) {}
  static void loop(std::shared_ptr<Engine> engine);
  bool runJobs();
  bool advanceAll();
  bool runProbe();
  void rest(bool moved);
  void stop();

  const PccMpi &library;
  const bool isOversubscribed;
  int32_t ownProcess = 0, allProcesses = 1;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable bell;
  std::vector<std::function<void()>> inbox;
  bool ending = false;

  // Used only by the engine's thread.
  std::vector<std::shared_ptr<Activity>> active;
  std::function<bool()> watcher;
  int64_t lastProbe = 0, lastMove = 0;
};

} // namespace pcc::runtime::mpi
