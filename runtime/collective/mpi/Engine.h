// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one thread of a process that calls MPI. Ranks hand it what they start and sleep; it moves on
// whatever is in flight, so communication goes on while ranks compute.
//
// It must not burn a core that a rank could use: between two looks it sleeps a quarter of the time
// that it has waited so far, at most a millisecond. So a wait is noticed late by a quarter of its
// length at most, and costs some ten looks before they are a millisecond apart.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_ENGINE_H
#define PCC_RUNTIME_COLLECTIVE_MPI_ENGINE_H

#include "runtime/collective/mpi/MpiLibrary.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pcc::runtime::mpi {

/// Something that the engine moves on.
class Activity {
public:
  virtual ~Activity() = default;

  /// Goes on as far as it can without waiting; whether it did. On the engine's thread, as all that
  /// calls MPI.
  virtual bool advance() = 0;
  /// True if there is nothing to move on until it is added again.
  virtual bool isIdle() const = 0;
};

class Engine {
public:
  /// Begins MPI on a new thread. `patient`: processes outnumber the machine's cores, so it never
  /// spins. Errors: Unavailable without a plug-in or with one whose MPI has no threads.
  static Expected<std::shared_ptr<Engine>> begin(const PccMpi &library, bool patient);
  ~Engine();

  const PccMpi &mpi() const { return library; }
  int process() const { return ownProcess; }
  int processes() const { return allProcesses; }

  /// Runs `job` on the engine's thread, after those that were submitted before.
  void submit(std::function<void()> job);
  /// The same, and waits for it.
  void run(const std::function<void()> &job);
  /// Moves `activity` on until it is idle. On the engine's thread.
  void add(std::shared_ptr<Activity> activity);
  /// Has `look` called every few milliseconds at least; it returns whether it found something.
  void watch(std::function<bool()> look);

  /// Ends MPI, for which all processes must come. Without it the thread is left behind.
  Status end();

private:
  Engine(const PccMpi &library, bool patient) : library(library), isPatient(patient) {}
  static void loop(std::shared_ptr<Engine> engine);
  bool runJobs();
  bool advanceAll();
  bool lookAround();
  void rest(bool moved);
  void stop();

  const PccMpi &library;
  const bool isPatient;
  int32_t ownProcess = 0, allProcesses = 1;
  std::thread thread;

  std::mutex mutex;
  std::condition_variable bell;
  std::vector<std::function<void()>> inbox;
  bool ending = false;

  // Of the thread alone.
  std::vector<std::shared_ptr<Activity>> active;
  std::function<bool()> watcher;
  int64_t lastLook = 0, lastMove = 0;
};

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_ENGINE_H
