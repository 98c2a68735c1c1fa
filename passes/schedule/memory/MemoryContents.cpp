// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps an ordered map of runs for each space. A write erases the runs inside of its span, and
// restores the old value behind it.
#include "passes/schedule/memory/MemoryPlanChecker.h"

namespace pcc::schedule {

void MemoryContents::write(const ByteSpan &span, uint32_t value) {
  if (span.begin == span.end)
    return;
  Pieces &pieces = spaces[size_t(span.space)];
  auto after = pieces.upper_bound(span.end);
  uint32_t behind = after == pieces.begin() ? 0 : std::prev(after)->second;
  auto first = pieces.lower_bound(span.begin);
  after = pieces.erase(first, after);
  after = pieces.emplace_hint(after, span.end, behind);
  pieces.emplace_hint(after, span.begin, value);
}

std::optional<MemoryContents::Held> MemoryContents::findOther(const ByteSpan &span,
                                                              uint32_t value) const {
  const Pieces &pieces = spaces[size_t(span.space)];
  auto next = pieces.upper_bound(span.begin);
  uint32_t held = next == pieces.begin() ? 0 : std::prev(next)->second;
  int64_t begin = span.begin;
  while (begin < span.end) {
    int64_t end = next == pieces.end() ? span.end : std::min(span.end, next->first);
    if (held != value)
      return Held{{span.space, begin, end}, held};
    begin = end;
    if (next != pieces.end())
      held = (next++)->second;
  }
  return std::nullopt;
}

} // namespace pcc::schedule
