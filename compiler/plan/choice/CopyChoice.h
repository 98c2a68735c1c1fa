// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of copies of a microbatch (docs/spec/overlap.md). Tries 1, 2, 4 … copies until
// two counts in a row are not faster than the best one. The fastest count that fits into memory
// wins. If none fits, the count that exceeds the memory least wins.
//
//   copies   step       memory
//        1   81.2 ms    41.0 GB
//        2   70.3 ms    42.1 GB    chosen
//        4   71.9 ms    44.0 GB    not faster
//        8   75.4 ms    47.8 GB    not faster either: the last one tried
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::plan {

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
