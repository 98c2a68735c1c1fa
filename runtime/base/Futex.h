// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting on a 32-bit word in a way that gives the core away at once (futex(2)). std::atomic::wait
// spins and yields first, which costs the threads that have work their cores when ranks outnumber
// them.

#ifndef PCC_RUNTIME_BASE_FUTEX_H
#define PCC_RUNTIME_BASE_FUTEX_H

#include <atomic>
#include <cstdint>

namespace pcc::runtime {

/// Sleeps while `word` holds `value`, until woken, for at most a tenth of a second, so that the
/// caller can look whether the run was given up; may also return without reason.
void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value);

/// Wakes at most `count` threads that sleep on `word`.
void wake(const std::atomic<uint32_t> &word, int count);

/// Wakes all threads that sleep on `word`.
void wakeAll(const std::atomic<uint32_t> &word);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_FUTEX_H
