// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/BestSearch.h"

namespace pcc::solve {

/// Table entries that a thread of a usual machine looks at in a second, with some reserve.
static constexpr double entriesPerSecond = 6e8;

SearchContext::SearchContext(const StrategyProblem &problem, const SolveOptions &options)
    : problem(problem), options(options), incumbent(problem),
      workLimit(uint64_t(std::min(options.seconds, 1e8) * entriesPerSecond)) {}

Int128 SearchContext::cutoff() const {
  if (!incumbent.isKnown)
    return worst;
  return (incumbent.cost + (Int128(1) << shift) - 1) >> shift;
}

bool SearchContext::isOver() const { return work >= workLimit || stop()(); }

bool SearchContext::mayRebuild() const {
  return clock.seconds() + 2 * buildSeconds < options.seconds * options.slowdown;
}

std::function<bool()> SearchContext::stop() const {
  // The last bound is still to be proved then, which takes a part of what the reductions took.
  return [this] {
    double limit = options.seconds * options.slowdown;
    return clock.seconds() > limit * 0.995 - 0.02 - std::min(0.5 * buildSeconds, 0.2 * limit);
  };
}

bool SearchContext::offer(const Branch &branch, const std::vector<int32_t> &options) {
  return incumbent.offer(branch.core.expand(options));
}

void SearchContext::hang(Branch &branch, CertificateStage stage) {
  int index = static_cast<int>(certificate.stages.size());
  if (branch.stageAbove >= 0)
    certificate.stages[branch.stageAbove].below[branch.slotAbove] = index;
  branch.stageAbove = index;
  branch.slotAbove = 0;
  if (stage.below.empty())
    stage.below = {-1};
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
  if (incumbent.isKnown) {
    progress.cost = incumbent.cost;
    progress.bound = std::min(progress.bound, incumbent.cost);
    progress.gap =
        incumbent.cost > 0 ? double(incumbent.cost - progress.bound) / double(incumbent.cost) : 0;
  }
  options.progress(progress);
}

} // namespace pcc::solve
