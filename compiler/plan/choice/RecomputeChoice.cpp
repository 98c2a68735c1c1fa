// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search assumes that a longer prefix of the list needs no more memory. Each program takes a
// compilation, so it interpolates where the memory meets the limit, and halves the range when one
// end stays. It ends when the parts between cost next to nothing. Afterwards at most maxLeftOut
// parts are dropped greedily, if the program stays within the limit and gets no slower.
#include "compiler/plan/choice/CompiledChoices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>
#include <numeric>

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
  RecomputeCandidate findFewest(const RecomputeCandidate &baseline, RecomputeCandidate all,
                                llvm::ArrayRef<double> partSeconds);
  RecomputeCandidate leaveOut(RecomputeCandidate best, llvm::ArrayRef<double> partSeconds);

  int64_t memoryLimit;
  RecomputeCostFunction cost;
  size_t leftOut;
};

/// Finds a small number of first parts that fits, between none, which is `baseline` and does not
/// fit, and `all`, which do.
RecomputeCandidate Choice::findFewest(const RecomputeCandidate &baseline, RecomputeCandidate all,
                                      llvm::ArrayRef<double> partSeconds) {
  constexpr double negligible = 0.001; // of a step
  auto sum = [&](size_t begin, size_t end) {
    llvm::ArrayRef<double> some = partSeconds.slice(begin, end - begin);
    return std::accumulate(some.begin(), some.end(), 0.0);
  };
  // The ranks share the work of a part, so a step grows by less than its seconds.
  double whole = sum(0, partSeconds.size());
  double scale = whole > 0 ? std::max(all.seconds - baseline.seconds, 0.0) / whole : 0;
  size_t tooFew = 0;
  double excess = double(baseline.peakBytes - memoryLimit);
  RecomputeCandidate best = std::move(all);
  for (int turn = 0; tooFew + 1 < best.parts.size();) {
    size_t enough = best.parts.size();
    if (scale > 0 && scale * sum(tooFew + 1, enough) < negligible * best.seconds)
      break;
    double share = 0.5;
    if (std::abs(turn) < 2)
      share = excess / (excess + double(memoryLimit - best.peakBytes));
    size_t count = tooFew + size_t(std::ceil(share * double(enough - tooFew)));
    RecomputeCandidate tried = takeFirst(int64_t(std::clamp(count, tooFew + 1, enough - 1)));
    if (!tried.error.empty())
      break;
    if (tried.fits(memoryLimit)) {
      turn = std::max(turn, 0) + 1;
      best = std::move(tried);
    } else {
      turn = std::min(turn, 0) - 1;
      tooFew = tried.parts.size();
      excess = double(tried.peakBytes - memoryLimit);
    }
    if (std::abs(turn) > 2)
      turn = 0;
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
  return leaveOut(findFewest(baseline, std::move(all), partSeconds), partSeconds);
}

} // namespace

RecomputeCandidate chooseRecomputed(const RecomputeCandidate &baseline,
                                    llvm::ArrayRef<double> partSeconds, int64_t memoryLimit,
                                    RecomputeCostFunction cost, size_t leftOut) {
  return Choice(memoryLimit, cost, leftOut).run(baseline, partSeconds);
}

} // namespace pcc::plan
