// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates are compared by validity, then by bytes beyond the memory limit, then by seconds.
#include "compiler/plan/choice/CompiledChoices.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace pcc::plan {

llvm::SmallVector<CopyCandidate> estimateCopyCosts(CopyCostFunction cost) {
  llvm::SmallVector<CopyCandidate> candidates;
  double best = std::numeric_limits<double>::infinity();
  int notFaster = 0; // candidates since the best one
  for (int64_t copies = 1; copies <= maxCopies && notFaster < 2; copies *= 2) {
    candidates.push_back(cost(copies));
    const CopyCandidate &last = candidates.back();
    if (!last.error.empty())
      break;
    notFaster = last.seconds < best ? 0 : notFaster + 1;
    best = std::min(best, last.seconds);
  }
  return candidates;
}

const CopyCandidate &chooseCopies(llvm::ArrayRef<CopyCandidate> candidates, int64_t memoryLimit) {
  auto keyOf = [&](const CopyCandidate &candidate) {
    int64_t lacks = std::max<int64_t>(candidate.peakBytes - memoryLimit, 0);
    return std::tuple(!candidate.error.empty(), lacks, candidate.seconds);
  };
  return *llvm::min_element(candidates, [&](const CopyCandidate &a, const CopyCandidate &b) {
    return keyOf(a) < keyOf(b);
  });
}

} // namespace pcc::plan
