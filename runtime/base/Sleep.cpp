// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls futex(2) and clock_nanosleep(2) with limits of 0.1 s, so that no sleep hides an abort for
// longer. sleepWhile returns at this limit; its callers call it again in a loop.

#include "runtime/base/Sleep.h"

#include "runtime/base/Base.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pcc::runtime {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value) {
  timespec limit = {.tv_sec = 0, .tv_nsec = 100'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &limit, nullptr, 0);
}

void wake(const std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void wakeAll(const std::atomic<uint32_t> &word) { wake(word, INT_MAX); }

void sleepUntil(int64_t time, const std::atomic<bool> &aborted) {
  constexpr int64_t second = 1'000'000'000, pollInterval = second / 10;
  if (nowNanoseconds() >= time)
    return;
  // Without this, the system may extend a sleep by 50 us to wake several threads at once.
  [[maybe_unused]] thread_local const int slackIsSet = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (int64_t now = nowNanoseconds(); now < time && !aborted.load(std::memory_order_relaxed);
       now = nowNanoseconds()) {
    int64_t until = std::min(time, now + pollInterval);
    timespec limit = {.tv_sec = until / second, .tv_nsec = until % second};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, nullptr);
  }
}

} // namespace pcc::runtime
