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
#include <list>
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

/// Seconds that calls of MPI in which all processes meet may take: the start of MPI, which waits
/// for processes that still compile their program, any later one, and the end.
struct MeetingLimits {
  double begin = 600, later = 60, end = 60;
};

class Engine : public std::enable_shared_from_this<Engine> {
public:
  /// Begins MPI on a new thread. `oversubscribed`: processes outnumber the machine's cores, so the
  /// engine never spins. Errors: Unavailable if MPI does not support threads; MPI errors; TimedOut.
  static Expected<std::shared_ptr<Engine>> begin(const PccMpi &library, bool oversubscribed,
                                                 const MeetingLimits &limits = {});
  ~Engine();

  const PccMpi &mpi() const { return library; }
  int process() const { return ownProcess; }
  int processes() const { return allProcesses; }

  /// Runs `job` on the engine's thread, after all jobs submitted before.
  void submit(std::function<void()> job);
  /// Does the same with a job in which processes meet, and returns its status. Error (TimedOut):
  /// the job is not done in time; it may still run later, so it owns all that it uses. `what` names
  /// it.
  Status meet(const std::string &what, std::function<Status()> job);
  /// Progresses `activity` until it is idle. Called on the engine's thread.
  void add(std::shared_ptr<Activity> activity);
  /// Calls `probe` about every 10 ms; `probe` returns whether it found something. `failed` is
  /// called on the engine's thread when an exception leaves a job, an activity or the probe. The
  /// activity is not progressed any more, but its memory stays, since MPI may still use it.
  void watch(std::function<bool()> probe, std::function<void(const Status &)> failed);

  /// Ends MPI; all processes must call it. Otherwise the destructor detaches the thread. MPI may
  /// write to buffers of operations in flight until it has ended, so they stay until then.
  Status end();

private:
  Engine(const PccMpi &library, bool oversubscribed, const MeetingLimits &limits)
      : library(library), isOversubscribed(oversubscribed), limits(limits) {}
  Status wait(const std::string &what, double seconds, std::function<Status()> job);
  static void loop(std::shared_ptr<Engine> engine);
  bool runJobs();
  bool advanceAll();
  bool runProbe();
  void note(Status status);
  bool reportFailure();
  void rest(bool moved);
  void stop();

  const PccMpi &library;
  const bool isOversubscribed;
  const MeetingLimits limits;
  int32_t ownProcess = 0, allProcesses = 1;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable bell;
  std::list<std::function<void()>> inbox;
  bool ending = false;

  // Used only by the engine's thread. Lists, since moving an element between lists needs no memory.
  std::list<std::shared_ptr<Activity>> active, failedActivities;
  std::function<bool()> watcher;
  std::function<void(const Status &)> failureListener;
  /// The first failure, until the listener has taken it.
  Status failure;
  int64_t lastProbe = 0, lastMove = 0;
};

} // namespace pcc::runtime::mpi
