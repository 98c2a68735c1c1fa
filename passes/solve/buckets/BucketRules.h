// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bucket rules that need no machine description, as users give them (`comm_fusion` in the spec).
//
//   sizes 4 3 2 5 1, threshold 5
//   bySize, Closes     4 3 | 2 5 | 1     a gradient that exceeds the threshold closes the bucket
//   bySize, Reference  4 | 3 2 | 5 1     a gradient that reaches the threshold opens the next
//                                        bucket but does not count there; the very first counts
//   byIndex 2, 3       4 3 | 2 | 5 1
#pragma once

#include "passes/solve/buckets/BucketProblem.h"

namespace pcc::buckets {

enum class SizeRule {
  Closes,    ///< a gradient that exceeds the threshold closes its bucket
  Reference, ///< MindSpore's rule, over parameters in the order of their first use in the model
};

Buckets fuseAll(int count);
Buckets fuseNone(int count);
/// `sizes` and `threshold` have the same unit.
Buckets fuseBySize(const std::vector<int64_t> &sizes, int64_t threshold, SizeRule rule);
/// Returns buckets that end before the gradients `ends[0]`, `ends[1]`, …, and the rest. `ends` are
/// positive and ascend strictly. Entries beyond the last gradient have no effect.
Buckets fuseByIndex(int count, const std::vector<int64_t> &ends);

} // namespace pcc::buckets
