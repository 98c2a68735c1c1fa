// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how results are written. An ordinary store first fetches the cache line that it changes,
// so every byte written to an array larger than the caches moves twice. A non-temporal store avoids
// the fetch (Intel, "Optimization Reference Manual", on non-temporal stores). A small array is
// better written by ordinary stores, since its next reader finds it in a cache.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace pcc::runtime::local {

enum class StoreMode { ThroughCaches, PastCaches };

/// Returns how to write `bytes` bytes at one time.
inline StoreMode storeModeFor(int64_t bytes) {
  constexpr int64_t large = 1 << 24; // no cache holds them together with their operands
  return bytes >= large ? StoreMode::PastCaches : StoreMode::ThroughCaches;
}

/// Copies bytes that do not overlap. Other threads see bytes stored past the caches only after
/// finishStores().
inline void storeBytes(StoreMode store, std::byte *target, const std::byte *source, int64_t bytes) {
#if defined(__x86_64__)
  if (store == StoreMode::PastCaches) {
    int64_t head = int64_t(-reinterpret_cast<uintptr_t>(target) & 15);
    head = head < bytes ? head : bytes;
    std::memcpy(target, source, size_t(head));
    int64_t at = head;
    for (; at + 16 <= bytes; at += 16)
      _mm_stream_si128(reinterpret_cast<__m128i *>(target + at),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(source + at)));
    std::memcpy(target + at, source + at, size_t(bytes - at));
    return;
  }
#endif
  std::memcpy(target, source, size_t(bytes));
}

/// Orders stores past the caches before this thread's next stores.
inline void finishStores(StoreMode store) {
#if defined(__x86_64__)
  if (store == StoreMode::PastCaches)
    _mm_sfence();
#endif
}

} // namespace pcc::runtime::local
