// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which value each byte of memory holds during the execution of a program.
//
//   write a to 0..8   aaaaaaaa
//   write b to 4..6   aaaabbaa     bytes 4 and 5 no longer hold a
#pragma once

#include "dialects/task/Task.h"
#include <array>
#include <map>

namespace pcc::schedule {

/// Contiguous bytes of a memory space.
struct ByteSpan {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteSpan &other) const {
    return space == other.space && begin < other.end && other.begin < end;
  }
  bool operator==(const ByteSpan &) const = default;
};

/// Values are numbered from 1; 0 means that nothing was written.
class MemoryContents {
public:
  void write(const ByteSpan &span, uint32_t value);

  /// Bytes that hold one value.
  struct Held {
    ByteSpan span;
    uint32_t value = 0;
  };
  /// Returns the first bytes of the span that hold another value; nullopt if all of it holds
  /// `value`.
  std::optional<Held> findOther(const ByteSpan &span, uint32_t value) const;

private:
  /// Start of each run of bytes with the same value; a run ends where the next one starts.
  using Pieces = std::map<int64_t, uint32_t>;

  std::array<Pieces, task::getMaxEnumValForSpace() + 1> spaces;
};

} // namespace pcc::schedule
