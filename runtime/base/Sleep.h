// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for a 32-bit word or for a point in time. A wait releases the core at once (futex(2)).
// std::atomic::wait spins and yields first. If ranks outnumber cores, this takes cores from threads
// that have work.
//
// An abort is a flag that ends all waits of a run after a rank has failed. Setting it wakes nobody,
// so waiting threads look at it ten times a second. Whoever changes a word must call wake or
// wakeAll.

#pragma once

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

/// Sleeps until `time` (of nowNanoseconds()), or until `aborted` is true, which is checked ten
/// times a second. Never returns early without reason; may return late by the system's wake-up
/// time. The first sleep removes the timer slack of the calling thread.
void sleepUntil(int64_t time, const std::atomic<bool> &aborted);

} // namespace pcc::runtime
