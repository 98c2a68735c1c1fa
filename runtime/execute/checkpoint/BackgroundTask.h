// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing that goes on beside training.

#pragma once

#include "runtime/base/Base.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace pcc::runtime {

/// A function on a thread of its own. Nobody has to wait for it: the thread may outlive the task
/// and ends with the process. So the function must own whatever it uses.
class BackgroundTask {
public:
  /// Starts the function. Without another thread it runs at once.
  static std::shared_ptr<BackgroundTask> start(std::function<Status()> body);

  bool isDone() const;

  /// Waits for the end and returns the function's status. Beats while the function does
  /// (Heartbeat.h), so the caller's work moves on with it.
  Status wait();

private:
  void run(const std::function<Status()> &body);

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> result;
  std::atomic<int64_t> beats = 0;
};

} // namespace pcc::runtime
