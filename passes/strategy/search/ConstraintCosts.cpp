// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/search/ConstraintCosts.h"

#include "passes/solve/strategy/problem/Workers.h"
#include "passes/strategy/search/SearchTranslate.h"
#include <numeric>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

static ConstraintCost estimateConstraintCost(const SearchOutcome &outcome, int constraint,
                                             const SearchOptions &options) {
  std::vector<int> others(outcome.asked.pins.size());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + constraint);
  SearchProblem without = outcome.problem->remake(keepConstraints(outcome.asked, others));
  solve::SolveOptions solve = options.solve;
  solve.initial = translate(*outcome.problem, outcome.result.solution, without);
  solve::SolveResult result = solveBy(options.algorithm, without.getProblem(), solve);
  ConstraintCost cost;
  cost.text = outcome.asked.pins[constraint].text;
  cost.isKnown = result.hasSolution();
  cost.seconds = toSeconds(outcome.result.cost - result.cost);
  cost.maxSeconds = toSeconds(outcome.result.cost - result.bound);
  return cost;
}

std::vector<ConstraintCost> estimateConstraintCosts(const SearchOutcome &outcome,
                                                    const SearchOptions &options) {
  solve::Stopwatch clock;
  std::vector<ConstraintCost> costs;
  for (auto [constraint, said] : llvm::enumerate(outcome.asked.pins)) {
    SearchOptions share = options;
    share.solve.seconds = (options.solve.seconds - clock.seconds()) /
                          static_cast<double>(outcome.asked.pins.size() - constraint);
    if (share.solve.seconds > 0)
      costs.push_back(estimateConstraintCost(outcome, static_cast<int>(constraint), share));
    else
      costs.push_back({said.text});
  }
  llvm::stable_sort(costs, [](const ConstraintCost &lhs, const ConstraintCost &rhs) {
    return lhs.isKnown != rhs.isKnown ? lhs.isKnown : lhs.seconds > rhs.seconds;
  });
  return costs;
}

} // namespace pcc::strategy
