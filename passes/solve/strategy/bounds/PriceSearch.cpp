// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgradient ascent on the prices. A step sweeps forward and backward, measures the usage and
// moves the prices with momentum. After 40 steps without a notably better bound, the search returns
// to the best prices and shortens its steps.
#include "passes/solve/strategy/bounds/PriceSearch.h"

#include "passes/solve/strategy/reduce/State.h"
#include <cmath>

namespace pcc::solve {

/// Limits of `targetGap`: a step aims at a cost at most this fraction above the current bound.
/// Distant solutions are poor targets. At first the bound may be far too low, so steps may be long
/// as long as the bound rises.
static constexpr double minTargetGap = 0.05, maxTargetGap = 1;

PriceSearch::PriceSearch(const FlatProblem &flat, StepStyle style, double constant)
    : style(style), messages(flat), constant(constant), flat(flat),
      current(flat.capacities.size(), 0), bestPrices(current), direction(current),
      bestScore(std::numeric_limits<double>::infinity()),
      best(-std::numeric_limits<double>::infinity()), before(best), targetGap(maxTargetGap) {}

void PriceSearch::resume(const std::vector<double> &prices) {
  current = bestPrices = prices;
  stepLength = 0.05;
  targetGap = minTargetGap;
}

void PriceSearch::fix(int node, int option) {
  resume(bestPrices);
  if (!bestMessages.empty())
    messages.messages = bestMessages;
  messages.fix(node, option);
  best = -std::numeric_limits<double>::infinity();
  bestScore = std::numeric_limits<double>::infinity();
  sinceBetter = 0;
}

/// Keeps the decoded solution if its score is best. The score of a feasible solution is its cost;
/// usage above capacities increases the score.
void PriceSearch::keepDecoded(const std::vector<int32_t> &options) {
  std::vector<int64_t> use = useOf(flat, options);
  double overuse = 0;
  for (size_t s = 0; s < use.size(); ++s)
    overuse = std::max(overuse, double(use[s] - flat.capacities[s]) /
                                    double(std::max<int64_t>(flat.capacities[s], 1)));
  double cost = costOf(flat, options);
  double score = overuse > 0 ? std::abs(cost) * (10 + overuse) : cost;
  if (score < bestScore || bestOptions.empty()) {
    bestScore = score;
    bestOptions = options;
  }
}

double PriceSearch::step(double target) {
  if (std::isfinite(best))
    target = std::min(target, best + targetGap * std::max(std::abs(best + constant), 1.0));
  messages.setPrices(current);
  messages.sweepForward();
  MessagePassing::Findings findings;
  if (style.isSmooth)
    findings.temperature = std::max(target - std::max(best, 0.0), 1e-3 * std::abs(target)) /
                               double(flat.nodes.size()) +
                           1e-9;
  double bound = messages.sweepBackward(findings);
  for (size_t s = 0; s < current.size(); ++s)
    bound -= current[s] * double(flat.capacities[s]);
  if (!std::isfinite(best))
    target = std::min(target, bound + targetGap * std::max(std::abs(bound + constant), 1.0));
  targetGap = std::clamp(targetGap * (bound > best ? 1.1 : 0.7), minTargetGap, maxTargetGap);
  work += messages.work();
  std::vector<int64_t> use;
  if (!style.isSmooth || steps % 8 == 0) {
    std::vector<int32_t> options;
    messages.decode(true, options);
    use = useOf(flat, options);
    keepDecoded(options);
  }
  double square = 0;
  for (size_t s = 0; s < current.size(); ++s) {
    double used = style.isSmooth ? findings.expectedUse[s] : double(use[s]);
    double &along = direction[s];
    along = style.momentum * along + (1 - style.momentum) * (used - double(flat.capacities[s]));
    if (current[s] <= 0 && along < 0)
      along = 0;
    square += along * along;
  }
  if (square > 0) {
    double size =
        stepLength * std::max(target - bound, 1e-5 * std::abs(target + constant)) / square;
    for (size_t s = 0; s < current.size(); ++s)
      current[s] = std::max(0.0, current[s] + size * direction[s]);
  }
  return bound;
}

void PriceSearch::advance(uint64_t entries, double target, const Stop &stop) {
  before = best;
  for (uint64_t end = work + entries; work < end && !stop(); ++steps) {
    std::vector<double> at = current;
    double bound = step(target);
    // A tiny improvement does not justify more long steps.
    if (bound <= best + 1e-5 * std::min(std::abs(target - best), std::abs(best + constant)))
      ++sinceBetter;
    else
      sinceBetter = 0;
    if (bound > best) {
      best = bound;
      bestPrices = std::move(at);
      bestMessages = messages.messages;
    }
    if (sinceBetter > 40) {
      sinceBetter = 0;
      stepLength *= 0.7;
      current = bestPrices;
      messages.messages = bestMessages;
      std::fill(direction.begin(), direction.end(), 0);
    }
  }
}

double PriceSearch::settle(int sweeps, std::vector<double> &optionBounds) {
  messages.setPrices(bestPrices);
  if (!bestMessages.empty())
    messages.messages = bestMessages;
  for (int i = 0; i < sweeps; ++i) {
    messages.sweepForward();
    messages.sweepBackward();
  }
  messages.sweepForward();
  MessagePassing::Findings findings;
  findings.optionBounds.resize(flat.options);
  double bound = messages.sweepBackward(findings);
  double paid = 0;
  for (size_t s = 0; s < bestPrices.size(); ++s)
    paid += bestPrices[s] * double(flat.capacities[s]);
  for (double &one : findings.optionBounds)
    one -= paid;
  optionBounds = std::move(findings.optionBounds);
  work += messages.work() * uint64_t(sweeps + 1);
  return bound - paid;
}

} // namespace pcc::solve
