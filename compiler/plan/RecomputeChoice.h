// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a model (RecomputeParts.h) are computed again so that its program fits into
// memory: as few as possible from the front of the list, each number of them compiled and measured;
// then those are left out again, the dearest first, without which it fits as well.
//
//   parts   memory    step
//       0   41.0 GB   81.2 ms
//      12   30.1 GB   83.0 ms    fits into 32 GB
//       6   35.2 GB   82.1 ms
//       9   32.9 GB   82.5 ms
//      10   31.8 GB   82.7 ms    is taken, or fewer of these
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::plan {

/// A program in which some parts are computed again.
struct RecomputeCandidate {
  llvm::SmallVector<int64_t> parts; ///< ascending
  double seconds = 0;               ///< of a step
  int64_t peakBytes = 0;            ///< of the rank that needs most
  std::string atPeak;               ///< its largest tensors then, as text
  std::string error;                ///< why there is no such program; empty if there is one

  bool fits(int64_t memoryLimit) const { return error.empty() && peakBytes <= memoryLimit; }
};

using RecomputePricer = llvm::function_ref<RecomputeCandidate(llvm::ArrayRef<int64_t> parts)>;

/// The candidate with the least that fits, or the one that needs least if none does. `partSeconds`:
/// what each part takes again, in the order of the list; none where there is nothing to compute
/// again. `kept` is the program without any.
RecomputeCandidate chooseRecomputed(const RecomputeCandidate &kept,
                                    llvm::ArrayRef<double> partSeconds, int64_t memoryLimit,
                                    RecomputePricer price);

} // namespace pcc::plan
