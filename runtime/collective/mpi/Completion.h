// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the engine signals ranks that an operation is done, and how a run is aborted.

#pragma once

#include "runtime/base/Base.h"
#include "runtime/base/Sleep.h"
#include "runtime/collective/Communicator.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace pcc::runtime::mpi {

/// Whether a run was aborted, shared by all communicators of a process's world.
class Abort {
public:
  /// Sets the status that every wait returns, unless there is one already. Returns whether it was
  /// set.
  bool set(Status why) {
    std::lock_guard lock(mutex);
    if (happened.load())
      return false;
    reason = std::move(why);
    happened.store(true, std::memory_order_release);
    for (const auto &listener : listeners)
      listener(reason.message());
    return true;
  }

  /// Registers `listener`, which is called with the reason; at once if there is one already.
  void listen(std::function<void(const std::string &)> listener) {
    std::lock_guard lock(mutex);
    if (happened.load())
      listener(reason.message());
    listeners.push_back(std::move(listener));
  }

  bool hasHappened() const { return happened.load(std::memory_order_acquire); }

  Status status() const {
    if (!hasHappened())
      return {};
    std::lock_guard lock(mutex);
    return reason;
  }

private:
  std::atomic<bool> happened = false;
  mutable std::mutex mutex;
  Status reason;
  std::vector<std::function<void(const std::string &)>> listeners;
};

/// Set once by the engine, waited for by any number of threads.
class Completion {
public:
  void set(Status status) {
    outcome = std::move(status);
    time = nowNanoseconds();
    done.store(1, std::memory_order_release);
    wakeAll(done);
  }

  /// Sleeps until it is set or the run is aborted. `interval` ends when it was set.
  Status wait(const Abort &abort, TransferInterval &interval) const {
    while (done.load(std::memory_order_acquire) == 0) {
      if (Status status = abort.status(); !status.ok())
        return status;
      sleepWhile(done, 0);
    }
    interval.end = std::max(interval.end, time);
    return outcome;
  }

private:
  std::atomic<uint32_t> done = 0;
  Status outcome;
  int64_t time = 0;
};

} // namespace pcc::runtime::mpi
