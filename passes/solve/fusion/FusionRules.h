// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buckets by rules that ask for no machine, as users give them (spec of `comm_fusion`).
//
//   sizes 4 3 2 5 1, threshold 5
//   bySize, Closes     4 3 | 2 5 | 1     what makes a bucket exceed the threshold is its last
//   bySize, Reference  4 | 3 2 | 5 1     what makes it come to the threshold opens the next, where
//                                        it counts for nothing; the very first counts
//   byIndex 2, 3       4 3 | 2 | 5 1
#pragma once

#include "passes/solve/fusion/FusionProblem.h"

namespace pcc::fusion {

enum class SizeRule {
  Closes,    ///< a gradient that exceeds the threshold closes its bucket
  Reference, ///< MindSpore's, over parameters in the order of their first use in the model
};

Buckets fuseAll(int count);
Buckets fuseNone(int count);
/// `sizes` and `threshold` in one unit.
Buckets fuseBySize(const std::vector<int64_t> &sizes, int64_t threshold, SizeRule rule);
/// The first ends[0], those up to ends[1], …, and the rest. `ends` ascend strictly and are
/// positive; those beyond the last gradient cut nothing.
Buckets fuseByIndex(int count, const std::vector<int64_t> &ends);
/// Takes a gradient into the bucket before it when both are through earlier together than one after
/// the other, as systems do that look one gradient ahead (MG-WFBP, Shi, Chu and Li, INFOCOM 2019).
/// Not optimal; for comparison.
Buckets fuseIfItHelps(const FusionProblem &problem);

} // namespace pcc::fusion
