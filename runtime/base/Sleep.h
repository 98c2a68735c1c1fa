// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping until a point in time.

#ifndef PCC_RUNTIME_BASE_SLEEP_H
#define PCC_RUNTIME_BASE_SLEEP_H

#include <atomic>
#include <cstdint>

namespace pcc::runtime {

/// Sleeps until `time` (of nowNanoseconds()), or until `aborted` is true, at which it looks ten
/// times a second. Never returns early without reason; late by what the system takes to wake a
/// thread. From the first sleep on the timers of the calling thread have no slack.
void sleepUntil(int64_t time, const std::atomic<bool> &aborted);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_SLEEP_H
