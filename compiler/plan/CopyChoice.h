// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many copies a microbatch is cut into (docs/spec/overlap.md): 1, 2, 4 … as long as each count
// is faster than the one before. Of those that fit into memory the fastest wins; if none fits, the
// one that lacks least.
//
//   copies   step       memory
//        1   81.2 ms    41.0 GB
//        2   70.3 ms    42.1 GB    is taken
//        4   71.9 ms    44.0 GB    is not faster: the last one
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace pcc::plan {

/// A program with so many copies.
struct CopyCandidate {
  int64_t copies = 1;
  double seconds = 0;    ///< of a step
  int64_t peakBytes = 0; ///< of the rank that needs most
  std::string error;     ///< why there is no such program; empty if there is one
};

using CopyPricer = llvm::function_ref<CopyCandidate(int64_t copies)>;

/// More are not tried: what is left to hide falls with their number, and every copy adds launches.
inline constexpr int64_t mostCopies = 64;

/// Prices counts of copies until one is not faster than the one before, or cannot be compiled, as
/// one that the batch does not allow. At least one candidate.
llvm::SmallVector<CopyCandidate> priceCopies(CopyPricer price);

/// The best of `candidates`, of which there is at least one; `memoryLimit`: bytes of a device.
const CopyCandidate &chooseCopies(llvm::ArrayRef<CopyCandidate> candidates, int64_t memoryLimit);

} // namespace pcc::plan
