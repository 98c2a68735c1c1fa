// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting on a 32-bit word that releases the core at once (futex(2)). std::atomic::wait spins and
// yields first. If ranks outnumber cores, this takes cores from threads that have work.

#ifndef PCC_RUNTIME_BASE_FUTEX_H
#define PCC_RUNTIME_BASE_FUTEX_H

#include <atomic>
#include <cstdint>

namespace pcc::runtime {

/// Sleeps while `word` holds `value`, until woken, for at most a tenth of a second, so that the
/// caller can check whether the run was aborted. May also return without reason.
void sleepWhile(const std::atomic<uint32_t> &word, uint32_t value);

/// Wakes at most `count` threads that sleep on `word`.
void wake(const std::atomic<uint32_t> &word, int count);

/// Wakes all threads that sleep on `word`.
void wakeAll(const std::atomic<uint32_t> &word);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_FUTEX_H
