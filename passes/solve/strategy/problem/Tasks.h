// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tasks on threads; a stop signal; a stopwatch. Tasks share no mutable data, so their results
// do not depend on the order or timing of threads.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace pcc::solve {

/// Runs all tasks on up to `threads` threads, the calling thread included. Returns when all are
/// done. If the system provides fewer threads, those that there are do all tasks.
void runTasks(const std::vector<std::function<void()>> &tasks, int threads);

/// Whether to stop; once true it stays true.
using Stop = std::function<bool()>;

/// Seconds since construction.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace pcc::solve
