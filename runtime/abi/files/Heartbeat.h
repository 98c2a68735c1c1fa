// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long work of a thread, such as reading a file, shows that it moves on. Whoever does it calls
// beat() from time to time. Whoever waits for it reads the time of the last beat.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pcc::abi {

/// Receives the times of the calling thread's beats, in nanoseconds of the steady clock; null:
/// nobody watches the thread.
inline thread_local std::atomic<int64_t> *lastBeat = nullptr;

/// Shows that the calling thread moves on. Costs a look at the clock.
inline void beat() {
  using namespace std::chrono;
  if (lastBeat)
    lastBeat->store(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count(),
                    std::memory_order_relaxed);
}

} // namespace pcc::abi
