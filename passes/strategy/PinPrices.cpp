// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/PinPrices.h"

#include "passes/solve/Workers.h"
#include "passes/strategy/SearchTranslate.h"
#include <numeric>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

static PinPrice pricePin(const SearchOutcome &outcome, int pin, const SearchOptions &options) {
  std::vector<int> others(outcome.asked.pins.size());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + pin);
  SearchProblem without = outcome.problem->remake(keepPins(outcome.asked, others));
  solve::SolveOptions solve = options.solve;
  solve.initial = translate(*outcome.problem, outcome.result.solution, without);
  solve::SolveResult result = solveBy(options.algorithm, without.getProblem(), solve);
  PinPrice price;
  price.text = outcome.asked.pins[pin].text;
  price.isKnown = result.hasSolution();
  price.seconds = toSeconds(outcome.result.cost - result.cost);
  price.most = toSeconds(outcome.result.cost - result.bound);
  return price;
}

std::vector<PinPrice> pricePins(const SearchOutcome &outcome, const SearchOptions &options) {
  solve::Stopwatch clock;
  std::vector<PinPrice> prices;
  for (auto [pin, said] : llvm::enumerate(outcome.asked.pins)) {
    SearchOptions share = options;
    share.solve.seconds = (options.solve.seconds - clock.seconds()) /
                          static_cast<double>(outcome.asked.pins.size() - pin);
    if (share.solve.seconds > 0)
      prices.push_back(pricePin(outcome, static_cast<int>(pin), share));
    else
      prices.push_back({said.text});
  }
  llvm::stable_sort(prices, [](const PinPrice &lhs, const PinPrice &rhs) {
    return lhs.isKnown != rhs.isKnown ? lhs.isKnown : lhs.seconds > rhs.seconds;
  });
  return prices;
}

} // namespace pcc::strategy
