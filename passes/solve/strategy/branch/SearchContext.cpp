// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts seconds to table entries and tracks a search: work, time, bound, cutoff and the stages
// of the certificate.
#include "passes/solve/strategy/branch/BestSearch.h"

#include "passes/solve/strategy/problem/Work.h"

namespace pcc::solve {

/// Seconds to write a compressed number of a certificate.
static constexpr double secondsPerNumber = 1.6e-7;

SearchContext::SearchContext(const StrategyProblem &problem, const SolveOptions &options)
    : problem(problem), options(options), incumbent(problem),
      workLimit(uint64_t(std::min(options.seconds, 1e8) * entriesPerSecond)) {}

void SearchContext::spendOnCore() { spend(workToReduce(problem)); }

Int128 SearchContext::cutoff() const {
  if (!incumbent.isKnown)
    return costCeiling;
  return (incumbent.cost + (Int128(1) << shift) - 1) >> shift;
}

double SearchContext::gap() const {
  if (!incumbent.isKnown)
    return 1;
  Int128 proved = std::min(bound << shift, incumbent.cost);
  return incumbent.cost > 0 ? double(incumbent.cost - proved) / double(incumbent.cost) : 0;
}

double SearchContext::secondsLeft() const {
  // Reserves time to free memory and to return.
  double limit = options.seconds * options.slowdown * 0.993 - 0.03;
  return limit - options.elapsed - clock.seconds() - double(certificateNumbers) * secondsPerNumber;
}

bool SearchContext::isOver() const {
  return work >= workLimit || isGapReached() || reachesCutoff() || stop()();
}

bool SearchContext::hasSeconds(double seconds) const {
  bool isEnough = secondsLeft() > seconds;
  lackedTime |= !isEnough;
  return isEnough;
}

Stop SearchContext::stop() const {
  // Reserves time to prove the last bound, which takes a small part of the time of the reductions.
  return [this] { return secondsLeft() < std::min(0.15 * buildSeconds, 0.1 * options.seconds); };
}

bool SearchContext::offer(const Branch &branch, const std::vector<int32_t> &solution) {
  return incumbent.offer(branch.core.expand(solution));
}

void SearchContext::appendStage(Branch &branch, CertificateStage stage) {
  int index = static_cast<int>(certificate.stages.size());
  if (branch.parentStage >= 0)
    certificate.stages[branch.parentStage].below[branch.childIndex] = index;
  branch.parentStage = index;
  branch.childIndex = 0;
  if (stage.below.empty())
    stage.below = {-1};
  certificateNumbers += stage.dual.prices.size() + stage.dual.messages.size();
  certificate.stages.push_back(std::move(stage));
}

void SearchContext::report(bool always) {
  double seconds = clock.seconds();
  if (!options.progress || (!always && seconds < lastReport + 0.5))
    return;
  lastReport = seconds;
  SearchProgress progress;
  progress.seconds = seconds;
  progress.bound = bound << shift;
  progress.gap = gap();
  if (incumbent.isKnown) {
    progress.cost = incumbent.cost;
    progress.bound = std::min(progress.bound, incumbent.cost);
  }
  options.progress(progress);
}

} // namespace pcc::solve
