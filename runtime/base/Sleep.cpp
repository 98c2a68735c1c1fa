// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/Sleep.h"

#include "runtime/base/Base.h"

#include <algorithm>
#include <ctime>
#include <sys/prctl.h>

namespace pcc::runtime {

void sleepUntil(int64_t time, const std::atomic<bool> &aborted) {
  constexpr int64_t second = 1'000'000'000, glance = second / 10;
  if (nowNanoseconds() >= time)
    return;
  // Without this, the system may extend a sleep by 50 us to wake several threads at once.
  [[maybe_unused]] thread_local const int slackIsSet = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (int64_t now = nowNanoseconds(); now < time && !aborted.load(std::memory_order_relaxed);
       now = nowNanoseconds()) {
    int64_t until = std::min(time, now + glance);
    timespec limit = {.tv_sec = until / second, .tv_nsec = until % second};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, nullptr);
  }
}

} // namespace pcc::runtime
