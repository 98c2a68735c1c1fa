// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing results. An ordinary store first fetches the line that it changes, so of arrays that no
// cache holds every byte that is written moves twice; a store past the caches does not (Intel,
// "Optimization Reference Manual", on non-temporal stores). Of small arrays whoever reads the
// result next finds it in a cache, so there ordinary stores are better.

#ifndef PCC_RUNTIME_COLLECTIVE_LOCAL_STORE_H
#define PCC_RUNTIME_COLLECTIVE_LOCAL_STORE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace pcc::runtime::local {

enum class Store { ThroughCaches, PastCaches };

/// How to write so many bytes at one time.
inline Store storeFor(int64_t bytes) {
  constexpr int64_t large = 1 << 24; // no cache holds them, or those that they are made of
  return bytes >= large ? Store::PastCaches : Store::ThroughCaches;
}

/// Copies bytes that do not overlap. Those stored past the caches are seen by others only after
/// finishStores().
inline void storeBytes(Store store, std::byte *target, const std::byte *source, int64_t bytes) {
#if defined(__x86_64__)
  if (store == Store::PastCaches) {
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

/// Orders what was stored past the caches before what this thread stores next.
inline void finishStores(Store store) {
#if defined(__x86_64__)
  if (store == Store::PastCaches)
    _mm_sfence();
#endif
}

} // namespace pcc::runtime::local

#endif // PCC_RUNTIME_COLLECTIVE_LOCAL_STORE_H
