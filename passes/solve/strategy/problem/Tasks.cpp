// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads take the next task from a counter. They are POSIX threads: without exceptions, a
// std::thread that the system cannot provide would end the process.
#include "passes/solve/strategy/problem/Tasks.h"

#include <atomic>
#include <pthread.h>

namespace pcc::solve {

void runTasks(const std::vector<std::function<void()>> &tasks, int threads) {
  std::atomic<size_t> next{0};
  std::function<void()> work = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++)
      tasks[i]();
  };
  auto run = [](void *body) -> void * {
    (*static_cast<std::function<void()> *>(body))();
    return nullptr;
  };
  std::vector<pthread_t> others;
  for (int t = 1; t < threads && t < static_cast<int>(tasks.size()); ++t) {
    pthread_t other;
    if (pthread_create(&other, nullptr, run, &work) != 0)
      break;
    others.push_back(other);
  }
  work();
  for (pthread_t other : others)
    pthread_join(other, nullptr);
}

} // namespace pcc::solve
