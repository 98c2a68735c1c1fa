// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each constraint, solves the problem without it, starting from the plan. The searches share
// the time. Conflicts are found by deletion (Conflict.h) over the constraints. A shortage of memory
// is described by the minimum usages at their peak.
#include "passes/analysis/names/OpNames.h"
#include "passes/solve/strategy/Conflict.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include "passes/strategy/search/Search.h"
#include "passes/strategy/search/SearchTranslate.h"
#include <numeric>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

static ConstraintCost estimateConstraintCost(const SearchOutcome &outcome, int constraint,
                                             const SearchOptions &options) {
  std::vector<int> others(outcome.requested.constraints.size());
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + constraint);
  SearchProblem without = outcome.problem->remake(keepConstraints(outcome.requested, others));
  solve::SolveOptions solve = options.solve;
  solve.initial = translate(*outcome.problem, outcome.result.solution, without);
  solve::SolveResult result = solveBy(options.algorithm, without.getProblem(), solve);
  ConstraintCost cost;
  cost.text = outcome.requested.constraints[constraint].text;
  cost.isKnown = result.hasSolution();
  cost.seconds = toSeconds(outcome.result.cost - result.cost);
  cost.maxSeconds = toSeconds(outcome.result.cost - result.bound);
  return cost;
}

std::vector<ConstraintCost> estimateConstraintCosts(const SearchOutcome &outcome,
                                                    const SearchOptions &options) {
  solve::Stopwatch clock;
  std::vector<ConstraintCost> costs;
  for (auto [constraint, targets] : llvm::enumerate(outcome.requested.constraints)) {
    SearchOptions share = options;
    share.solve.seconds = (options.solve.seconds - clock.seconds()) /
                          static_cast<double>(outcome.requested.constraints.size() - constraint);
    if (share.solve.seconds > 0)
      costs.push_back(estimateConstraintCost(outcome, static_cast<int>(constraint), share));
    else
      costs.push_back({targets.text});
  }
  llvm::stable_sort(costs, [](const ConstraintCost &lhs, const ConstraintCost &rhs) {
    return lhs.isKnown != rhs.isKnown ? lhs.isKnown : lhs.seconds > rhs.seconds;
  });
  return costs;
}

PlanConflict findPlanConflict(const SearchOutcome &outcome, const SearchOptions &options) {
  solve::Stopwatch clock;
  double seconds = options.solve.seconds;
  auto isInfeasible = [&](ArrayRef<int> constraints) {
    SearchProblem problem =
        outcome.problem->remake(keepConstraints(outcome.requested, constraints));
    // Takes at most a quarter of the time left, so that later tests have time.
    return solve::isInfeasible(problem.getProblem(), (seconds - clock.seconds()) / 4);
  };
  PlanConflict conflict;
  conflict.needsConstraints = !outcome.requested.constraints.empty() && !isInfeasible({});
  if (conflict.needsConstraints)
    conflict.constraints = solve::findConflict(
        static_cast<int>(outcome.requested.constraints.size()),
        [&](const std::vector<int> &constraints) { return isInfeasible(constraints); },
        [&] { return clock.seconds() > seconds; });
  return conflict;
}

/// Returns the op that runs at `time`, in quotes.
static std::string describeTime(const SearchProblem &problem, int64_t time) {
  for (const SearchNode &node : problem.getGraph().nodes)
    if (node.op && node.begin == time)
      return ("\"" + analysis::getName(node.op) + "\"").str();
  return "time " + std::to_string(time);
}

/// Returns the minimum number of bytes that a node needs.
static int64_t countMinBytes(const solve::StrategyNode &node) {
  return *std::min_element(node.usages.begin(), node.usages.end());
}

std::string describeShortage(const SearchProblem &search) {
  const solve::StrategyProblem &problem = search.getProblem();
  solve::UsagePeak peak = solve::findUsagePeak(problem);
  std::string place = describeTime(search, peak.time);
  std::string limit = std::to_string(problem.usageLimit);
  if (peak.use <= problem.usageLimit)
    return "no combination of the ops' options fits into " + limit +
           " bytes, although the sum of their minima, at most " + solve::toString(peak.use) +
           " bytes (at " + place + "), does";
  std::string text = "at " + place + " at least " + solve::toString(peak.use) +
                     " bytes are needed, expected at most " + limit + "; most by";
  constexpr size_t maxShown = 4;
  peak.largest.resize(std::min(peak.largest.size(), maxShown));
  for (auto [index, node] : llvm::enumerate(peak.largest))
    text += (index ? ", " : " ") + problem.describe(node) + " (" +
            std::to_string(countMinBytes(problem.nodes[node])) + ")";
  return text;
}

} // namespace pcc::strategy
