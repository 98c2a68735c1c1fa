// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the parts of a model (RecomputeParts.h) to recompute so that its program fits into
// memory. Searches the number of parts to take from the front of the list; each number is compiled
// and measured. Then tries to leave parts out again, the most expensive first, if the program still
// fits.
//
//   parts   memory    step
//       0   41.0 GB   81.2 ms
//      12   30.1 GB   83.0 ms    fits into 32 GB
//       9   32.9 GB   82.5 ms
//      10   31.8 GB   82.7 ms    chosen, or fewer of these parts
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::plan {

/// A program in which some parts are recomputed.
struct RecomputeCandidate {
  llvm::SmallVector<int64_t> parts; ///< ascending
  double seconds = 0;               ///< of a step
  int64_t peakBytes = 0;            ///< of the rank that needs most
  std::string atPeak;               ///< largest tensors at the peak, as text
  std::string error;                ///< why there is no such program; empty if there is one

  bool fits(int64_t memoryLimit) const { return error.empty() && peakBytes <= memoryLimit; }
};

/// Maximum number of parts that the choice tries to leave out; each attempt is one compilation.
inline constexpr size_t maxLeftOut = 8;

using RecomputeCostFunction = llvm::function_ref<RecomputeCandidate(llvm::ArrayRef<int64_t> parts)>;

/// Returns a candidate with few parts that fits, or the candidate with the lowest peak if none
/// fits. `partSeconds`: seconds to recompute each part, in the order of the list; empty if nothing
/// can be recomputed. `baseline` is the program without recomputation. `leftOut`: the number of
/// parts that the choice tries to leave out.
RecomputeCandidate chooseRecomputed(const RecomputeCandidate &baseline,
                                    llvm::ArrayRef<double> partSeconds, int64_t memoryLimit,
                                    RecomputeCostFunction cost, size_t leftOut = maxLeftOut);

} // namespace pcc::plan
