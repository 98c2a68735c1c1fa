// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times at which the limit can bind.
//
//   use |        limit ————————————————————————
//       |     ▒▒▒▒▒         ▒▒▒▒▒▒▒    ▒ maximum usage of all nodes
//       |   ▒▒▒▒▒▒▒▒▒   ▒▒▒▒▒▒▒▒▒▒▒▒
//       +——————————————————————————————> time
//           ^ cannot     ^ a segment: a time that stands for the times around it
//
// Time s is implied by time t if every choice of options that fits at t also fits at s. The
// following condition suffices, because nodes choose independently:
//
//   Σ over nodes of max over options (use at s − use at t)  ≤  capacity at s − capacity at t
//
// Only nodes with a term that begins or ends between s and t count.
#pragma once

#include "passes/solve/strategy/reduce/Core.h"

namespace pcc::solve {

struct Segment {
  int64_t time = 0;
  int64_t capacity = 0; ///< usage limit of the live terms
};

/// Returns the segments of `core` in order of time. None is implied by the segment before or after
/// it. Sets the core's contradiction if the fixed usage alone exceeds the limit.
std::vector<Segment> findSegments(Core &core);

/// Returns the range [first, last) of the segments within [begin, end).
std::pair<int, int> rangeOf(const std::vector<Segment> &segments, int64_t begin, int64_t end);

} // namespace pcc::solve
