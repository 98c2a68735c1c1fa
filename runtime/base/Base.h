// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common names of all rooms of the device side.

#pragma once

#include "runtime/abi/Status.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace pcc::runtime {

using abi::Expected;
using abi::RunPosition;
using abi::Status;
using abi::StatusKind;

/// Returns nanoseconds on a clock that never goes back.
inline int64_t nowNanoseconds() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

struct FreeMemory {
  void operator()(std::byte *memory) const { std::free(memory); }
};

/// Memory aligned to a cache line or more.
using AlignedBytes = std::unique_ptr<std::byte[], FreeMemory>;

/// Returns at least `bytes` bytes of undefined content, aligned to `alignment`, a power of two;
/// null if there is not enough memory.
inline AlignedBytes allocateAligned(uint64_t bytes, uint64_t alignment = 64) {
  uint64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  return AlignedBytes(static_cast<std::byte *>(memory));
}

} // namespace pcc::runtime
