// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bisection assumes that a longer prefix of the list needs no more memory. Afterwards at most
// maxLeftOut parts are dropped greedily, if the program stays within the limit and gets no slower.
#include "compiler/plan/choice/RecomputeChoice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace pcc::plan {
namespace {

class Choice {
public:
  Choice(int64_t memoryLimit, RecomputeCostFunction cost, size_t leftOut)
      : memoryLimit(memoryLimit), cost(cost), leftOut(leftOut) {}

  RecomputeCandidate run(const RecomputeCandidate &baseline, llvm::ArrayRef<double> partSeconds);

private:
  RecomputeCandidate takeFirst(int64_t count) {
    return cost(llvm::to_vector(llvm::seq<int64_t>(0, count)));
  }
  RecomputeCandidate findFewest(RecomputeCandidate all);
  RecomputeCandidate leaveOut(RecomputeCandidate best, llvm::ArrayRef<double> partSeconds);

  int64_t memoryLimit;
  RecomputeCostFunction cost;
  size_t leftOut;
};

/// Finds the smallest number of first parts that fits, between none, which do not fit, and `all`,
/// which do.
RecomputeCandidate Choice::findFewest(RecomputeCandidate all) {
  RecomputeCandidate best = std::move(all);
  for (int64_t tooFew = 0; tooFew + 1 < int64_t(best.parts.size());) {
    int64_t count = (tooFew + int64_t(best.parts.size())) / 2;
    if (RecomputeCandidate tried = takeFirst(count); tried.fits(memoryLimit))
      best = std::move(tried);
    else
      tooFew = count;
  }
  return best;
}

RecomputeCandidate Choice::leaveOut(RecomputeCandidate best, llvm::ArrayRef<double> partSeconds) {
  llvm::SmallVector<int64_t> dearest = best.parts;
  llvm::stable_sort(dearest, [&](int64_t a, int64_t b) { return partSeconds[a] > partSeconds[b]; });
  dearest.truncate(std::min(dearest.size(), leftOut));
  for (int64_t part : dearest) {
    llvm::SmallVector<int64_t> fewer = best.parts;
    llvm::erase(fewer, part);
    RecomputeCandidate tried = cost(fewer);
    if (tried.fits(memoryLimit) && tried.seconds <= best.seconds)
      best = std::move(tried);
  }
  return best;
}

RecomputeCandidate Choice::run(const RecomputeCandidate &baseline,
                               llvm::ArrayRef<double> partSeconds) {
  if (baseline.fits(memoryLimit) || !baseline.error.empty() || partSeconds.empty())
    return baseline;
  RecomputeCandidate all = takeFirst(int64_t(partSeconds.size()));
  if (!all.fits(memoryLimit))
    return !all.error.empty() || all.peakBytes < baseline.peakBytes ? all : baseline;
  return leaveOut(findFewest(std::move(all)), partSeconds);
}

} // namespace

RecomputeCandidate chooseRecomputed(const RecomputeCandidate &baseline,
                                    llvm::ArrayRef<double> partSeconds, int64_t memoryLimit,
                                    RecomputeCostFunction cost, size_t leftOut) {
  return Choice(memoryLimit, cost, leftOut).run(baseline, partSeconds);
}

} // namespace pcc::plan
