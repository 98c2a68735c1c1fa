// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread is detached, and shares the task with whoever waits for it. A disk that hangs then
// delays nobody but those who wait.

#include "runtime/execute/checkpoint/TrainingCheckpoints.h"

#include "runtime/abi/files/Heartbeat.h"
#include "runtime/base/CatchExceptions.h"

#include <chrono>
#include <system_error>
#include <thread>

namespace pcc::runtime {

std::shared_ptr<BackgroundTask> BackgroundTask::start(std::function<Status()> body) {
  auto task = std::make_shared<BackgroundTask>();
  try {
    std::thread([task, body] { task->run(body); }).detach();
  } catch (const std::system_error &) { // no more threads
    task->run(body);
  }
  return task;
}

void BackgroundTask::run(const std::function<Status()> &body) {
  std::atomic<int64_t> *outer = abi::lastBeat;
  abi::lastBeat = &beats;
  Status status = catchExceptions(body);
  abi::lastBeat = outer;
  std::lock_guard lock(mutex);
  result = std::move(status);
  changed.notify_all();
}

bool BackgroundTask::isDone() const {
  std::lock_guard lock(mutex);
  return result.has_value();
}

Status BackgroundTask::wait() {
  constexpr auto beatInterval = std::chrono::milliseconds(100);
  int64_t seen = 0;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, beatInterval, [&] { return result.has_value(); }))
    if (int64_t now = beats; now != seen) {
      seen = now;
      abi::beat();
    }
  return *result;
}

} // namespace pcc::runtime
