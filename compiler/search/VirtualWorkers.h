// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs jobs on several threads, so that the choice of the jobs does not depend on the speed of the
// threads. Each job has a clock, which counts its work and not the time. A job is delivered when
// its clock is at its end, and its worker takes the next job at that time.
//
//   worker 0   A: 3 s of work    then C: 2 s
//   worker 1   B: 4 s of work              then D
//   delivered  A at 3, B at 4, C at 5: C is chosen after A, D after A and B
//
// A job that has ended waits for all jobs that may still end before it. Meanwhile its thread runs
// another job that was chosen, or waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

namespace pcc::search {

class VirtualWorkers {
public:
  class Clock;

  struct Job {
    /// Runs on a thread of its own, without the lock.
    std::function<void(Clock &)> run;
    /// Called with the lock after all jobs that end before this one were delivered.
    std::function<void()> deliver;
  };

  /// `choose` returns the next job, or nothing if there is none at this time. It is called with the
  /// lock, at the beginning and after each delivery, for every free worker.
  VirtualWorkers(int workers, std::function<std::optional<Job>()> choose)
      : workers(workers), choose(std::move(choose)) {}

  /// Runs jobs until none runs and none is chosen. Time begins at `begin` seconds.
  void run(double begin);

  /// Returns the seconds at which a job was delivered last. The lock must be held, unless no jobs
  /// run.
  double getTime() const { return toSeconds(time); }

  /// The lock under which jobs are chosen and delivered.
  std::mutex &getMutex() { return mutex; }

private:
  /// Nanoseconds; whole numbers, whose sum does not depend on their order.
  using Ticks = uint64_t;

  /// A job that was chosen and not delivered.
  struct Running {
    Job job;
    Ticks clock = 0;
    uint64_t number = 0; ///< in the order of choice, which decides between equal clocks
    enum { Chosen, Started, Ended } state = Chosen;
  };

  static Ticks toTicks(double seconds) { return Ticks(seconds * 1e9); }
  static double toSeconds(Ticks ticks) { return double(ticks) * 1e-9; }

  void work();
  /// Chooses jobs for free workers.
  void chooseJobs();
  /// Delivers jobs that have ended and that no other job may precede.
  void deliverJobs();
  std::list<Running>::iterator findEarliest();

  const size_t workers;
  std::function<std::optional<Job>()> choose;
  std::mutex mutex; ///< guards all members below
  std::condition_variable changed;
  std::list<Running> jobs;
  Ticks time = 0;
  uint64_t numChosen = 0;

public:
  /// The clock of one job, for its thread.
  class Clock {
  public:
    Clock(VirtualWorkers &workers, Running &job) : workers(workers), job(job) {}

    /// Adds seconds of work. Any thread may call it.
    void advance(double seconds);
    /// Returns the seconds at which the job is.
    double getTime() const;
    /// Waits until all jobs are delivered that end before the time at which this job is. Then calls
    /// `look` with the lock, for which nothing later has happened yet.
    void lookAtTime(const std::function<void()> &look);

  private:
    VirtualWorkers &workers;
    Running &job;
  };
};

} // namespace pcc::search
