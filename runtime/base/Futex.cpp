// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/Futex.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
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

} // namespace pcc::runtime
