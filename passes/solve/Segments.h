// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times at which the limit can bind.
//
//   use |        limit ————————————————————————
//       |     ▒▒▒▒▒         ▒▒▒▒▒▒▒    ▒ what all nodes can use at most
//       |   ▒▒▒▒▒▒▒▒▒   ▒▒▒▒▒▒▒▒▒▒▒▒
//       +——————————————————————————————> time
//           ^ cannot     ^ a segment: a time that stands for those around it
//
// A time s is implied by a time t if no choice of options uses more at s than at t by more than the
// capacity at s is greater. Nodes choose independently of each other there, so that
//
//   Σ over nodes of max over options (use at s − use at t)  ≤  capacity at s − capacity at t
//
// suffices, and only nodes with a term that begins or ends in between count.
#pragma once

#include "passes/solve/Core.h"

namespace pcc::solve {

struct Segment {
  int64_t time = 0;
  int64_t capacity = 0; ///< what the terms that are live may use
};

/// The segments of `core`, in order of time: none implied by the one before or after it. Sets the
/// core's contradiction if the fixed use alone is above the limit.
std::vector<Segment> findSegments(Core &core);

/// The range [first, last) of the segments that lie within [begin, end).
std::pair<int, int> rangeOf(const std::vector<Segment> &segments, int64_t begin, int64_t end);

} // namespace pcc::solve
