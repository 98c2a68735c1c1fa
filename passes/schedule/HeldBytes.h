// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which value each byte of memory holds while a program is gone through.
//
//   write a to 0..8   aaaaaaaa
//   write b to 4..6   aaaabbaa     what is to be a is not a from byte 4 on
#pragma once

#include "dialects/task/Task.h"
#include <array>
#include <map>

namespace pcc::schedule {

/// Bytes of a space that lie together.
struct ByteSpan {
  task::Space space = task::Space::Temporary;
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteSpan &other) const {
    return space == other.space && begin < other.end && other.begin < end;
  }
  bool operator==(const ByteSpan &) const = default;
};

/// Values are numbers from 1 on; 0 is what memory holds before anything is written.
class HeldBytes {
public:
  void write(const ByteSpan &span, uint32_t value);

  /// What some bytes hold.
  struct Held {
    ByteSpan span;
    uint32_t value = 0;
  };
  /// The first bytes of the span that hold another value; nothing if all of it holds `value`.
  std::optional<Held> findOther(const ByteSpan &span, uint32_t value) const;

private:
  /// What is held from a byte on until the next one that is named here.
  using Pieces = std::map<int64_t, uint32_t>;

  std::array<Pieces, task::getMaxEnumValForSpace() + 1> spaces;
};

} // namespace pcc::schedule
