// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping until a point in time.

#ifndef PCC_RUNTIME_BASE_SLEEP_H
#define PCC_RUNTIME_BASE_SLEEP_H

#include <atomic>
#include <cstdint>

namespace pcc::runtime {

/// Sleeps until `time` (of nowNanoseconds()), or until `aborted` is true, which is checked ten
/// times a second. Never returns early without reason; may return late by the system's wake-up
/// time. The first sleep removes the timer slack of the calling thread.
void sleepUntil(int64_t time, const std::atomic<bool> &aborted);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_SLEEP_H
