// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel tasks. They share no mutable data, so their results do not depend on their speed.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace pcc::solve {

/// Runs all tasks on up to `threads` threads, the calling thread included. Returns when all are
/// done.
inline void runTasks(const std::vector<std::function<void()>> &tasks, int threads) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++)
      tasks[i]();
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads && t < static_cast<int>(tasks.size()); ++t)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
}

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
