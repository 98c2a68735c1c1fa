// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds of a branch: reduce, compact, build the flat problem, start the price search. Segments
// change with each rebuild, so a price moves to the segment nearest in time.
#include "passes/solve/strategy/branch/BestSearch.h"

#include "passes/solve/strategy/reduce/Reduce.h"
#include <cmath>

namespace pcc::solve {

Branch::Branch(Core given, const TimedPrices &prices, StepStyle style, Int128 bound,
               const Stop &stop)
    : core(std::move(given)), bound(bound), style(style) {
  start(prices, stop);
}

/// Adds each price to the segment nearest in time.
static std::vector<double> spread(const TimedPrices &prices, const std::vector<Segment> &segments) {
  std::vector<double> result(segments.size(), 0);
  if (segments.empty())
    return result;
  for (auto [time, price] : prices) {
    auto isBefore = [](const Segment &segment, int64_t t) { return segment.time < t; };
    auto next = std::lower_bound(segments.begin(), segments.end(), time, isBefore);
    if (next == segments.end() ||
        (next != segments.begin() && time - std::prev(next)->time < next->time - time))
      --next;
    result[next - segments.begin()] += price;
  }
  return result;
}

void Branch::start(const TimedPrices &given, const Stop &stop) {
  segments = reduce(core, stop);
  if (stop() || core.isContradictory() || core.isEmpty())
    return;
  std::vector<double> startPrices = spread(given, segments);
  compact(core, segments);
  makeFlatProblem(given.empty() ? std::vector<double>() : startPrices);
}

void Branch::makeFlatProblem(const std::vector<double> &startPrices) {
  flat = std::make_unique<FlatProblem>(core, segments);
  prices = std::make_unique<PriceSearch>(*flat, style, double(core.constant));
  if (!startPrices.empty())
    prices->resume(startPrices);
}

void Branch::sleep() {
  if (!flat)
    return;
  sleepingPrices = prices->prices();
  flat.reset();
  prices.reset();
}

void Branch::wake() {
  if (!sleepingPrices)
    return;
  makeFlatProblem(*sleepingPrices);
  sleepingPrices.reset();
}

TimedPrices Branch::timedPrices() const {
  TimedPrices result;
  for (size_t s = 0; s < segments.size(); ++s)
    if (prices->prices()[s] > 0)
      result.emplace_back(segments[s].time, prices->prices()[s]);
  return result;
}

size_t Branch::settle(int sweeps, Int128 cutoff) {
  prices->settle(sweeps, optionBounds);
  // The bounds are floats, so an option counts only if it is clearly above the cutoff. The exact
  // pruning decides.
  double limit = withoutConstant(cutoff) * (1 + 1e-9);
  size_t count = 0;
  for (const FlatNode &node : flat->nodes)
    for (int a = 0; a < node.size; ++a)
      count += optionBounds[node.first + a] >= limit;
  return count;
}

CertificateStage Branch::pruneExactly(Int128 cutoff) {
  CertificateStage stage;
  stage.dual = roundDual(*flat, prices->prices(), prices->messages.messages);
  stage.cutoff = cutoff;
  exact = boundsOf(core, *flat, stage.dual);
  bound = std::max(bound, std::min(exact.bound, cutoff));
  prune(core, *flat, exact, cutoff);
  return stage;
}

void Branch::reduceAgain(const Stop &stop) {
  TimedPrices carried = timedPrices();
  flat.reset();
  prices.reset();
  if (!core.isContradictory())
    start(carried, stop);
}

} // namespace pcc::solve
