// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing of live ranges: the buffers that may share the same bytes.
//
//   bytes ^
//         |   +--c--+        a and c are never live at once and share bytes 0 to 63;
//      64 |  +---b------+    b is live with both and lies above
//         | +-a-+   +-c-+
//         +---------------> time
//
// The problem is NP-hard; PackSearch.h searches for good packings.
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
  int64_t alignment = 64; ///< alignment of every offset, in bytes
};

/// One offset per item.
using PackSolution = llvm::SmallVector<int64_t>;

/// Returns an empty string if all offsets are aligned and no two items that are live together
/// overlap; otherwise the first error.
std::string verify(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets);

/// Returns the bytes that a solution needs.
int64_t peakOf(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets);

/// A range of free bytes; a negative offset means none.
struct Gap {
  int64_t offset = -1, bytes = 0;
};

/// Returns the smallest gap below `limit` that holds `item`, beside the items at `offsets`.
Gap findGap(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets, const PackItem &item,
            int64_t limit);

/// Returns a lower bound on the bytes of every solution: the maximum number of live bytes at one
/// time. Each item is rounded up to the alignment.
int64_t lowerBound(const PackProblem &problem);

} // namespace pcc::solve
