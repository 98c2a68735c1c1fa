// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices for which every candidate is compiled and measured: the parts of a model that are
// recomputed, and the number of copies of a microbatch.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::plan {

//===-- RecomputeChoice.cpp -------------------------------------------------------------------===//

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

//===-- CopyChoice.cpp ------------------------------------------------------------------------===//

// Chooses the number of copies of a microbatch (docs/spec/overlap.md). Tries 1, 2, 4 … copies until
// two counts in a row are not faster than the best one. The fastest count that fits into memory
// wins. If none fits, the count that exceeds the memory least wins.
//
//   copies   step       memory
//        1   81.2 ms    41.0 GB
//        2   70.3 ms    42.1 GB    chosen
//        4   71.9 ms    44.0 GB    not faster
//        8   75.4 ms    47.8 GB    not faster either: the last one tried

/// Cost of a program with `copies` copies per microbatch.
struct CopyCandidate {
  int64_t copies = 1;
  double seconds = 0;    ///< of a step
  int64_t peakBytes = 0; ///< maximum over ranks
  std::string error;     ///< why there is no such program; empty if there is one
};

using CopyCostFunction = llvm::function_ref<CopyCandidate(int64_t copies)>;

/// Maximum number of copies tried. More copies leave less to hide, and every copy adds launches.
inline constexpr int64_t maxCopies = 64;

/// Estimates the cost of 1, 2, 4 … copies. Stops when two counts in a row are not faster than the
/// best one: a first cut can cost more than it hides, and the next one less. Stops too at a count
/// that cannot be compiled because, for example, it does not divide the batch. Returns at least one
/// candidate.
llvm::SmallVector<CopyCandidate> estimateCopyCosts(CopyCostFunction cost);

/// Returns the best of `candidates`, which must not be empty. `memoryLimit`: bytes of a device.
const CopyCandidate &chooseCopies(llvm::ArrayRef<CopyCandidate> candidates, int64_t memoryLimit);

} // namespace pcc::plan
