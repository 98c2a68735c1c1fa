// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of live ranges: which buffers may lie at the same bytes.
//
//   bytes ^
//         |   +--c--+        a and c are never live at once and share bytes 0 to 63;
//      64 |  +---b------+    b is live with both and lies above
//         | +-a-+   +-c-+
//         +---------------> time
//
// The problem is NP-hard; PackSearch.h looks for good packings.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::solve {

/// A buffer that is live at the times first ≤ t ≤ last.
struct PackItem {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

struct PackProblem {
  llvm::SmallVector<PackItem> items;
  int64_t alignment = 64; ///< of every offset, in bytes
};

/// One offset per item.
using PackSolution = llvm::SmallVector<int64_t>;

/// Empty if no two items that are live at once overlap and all offsets are aligned; else what is
/// wrong.
std::string verify(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets);

/// The bytes that a solution needs.
int64_t peakOf(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets);

/// Free bytes; none at a negative offset.
struct Gap {
  int64_t offset = -1, bytes = 0;
};

/// The smallest gap for one more item beside those that lie at `offsets`, below `limit`.
Gap findGap(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets, const PackItem &item,
            int64_t limit);

/// No solution needs fewer bytes: the most that is live at one time, each item rounded up to the
/// alignment.
int64_t lowerBound(const PackProblem &problem);

} // namespace pcc::solve
