// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Min-marginals by one elimination with the node last, within half of the time. If this time is
// over, or the tables or costs are too large, each option gets its own search. The searches share
// the remaining time equally.
#include "passes/solve/strategy/Solve.h"

#include "passes/solve/strategy/primal/Improve.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include "passes/solve/strategy/reduce/Elimination.h"
#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

/// Maximum number of entries in all tables together: about a gigabyte.
static constexpr uint64_t budget = 100'000'000;

/// Returns the entries of the table of `edge` that belong to `option` of one of its two nodes.
static CostTable takeOption(const StrategyProblem &problem, const StrategyEdge &edge, bool isFirst,
                            int32_t option) {
  size_t rows = problem.nodes[edge.u].size(), width = problem.nodes[edge.v].size();
  std::vector<int64_t> costs;
  for (size_t other = 0; other < (isFirst ? width : rows); ++other)
    costs.push_back(isFirst ? edge.costs[option * width + other]
                            : edge.costs[other * width + option]);
  return costs;
}

StrategyProblem fixOption(const StrategyProblem &problem, int node, int32_t option) {
  StrategyProblem fixed = problem;
  for (StrategyEdge &edge : fixed.edges)
    if (edge.u == node || edge.v == node)
      edge.costs = takeOption(problem, edge, edge.u == node, option);
  StrategyNode &only = fixed.nodes[node];
  only.costs = {only.costs[option]};
  only.usages = {only.usages[option]};
  return fixed;
}

StrategySolution toFixed(StrategySolution solution, int node) {
  solution[node] = 0;
  return solution;
}

StrategySolution fromFixed(StrategySolution solution, int node, int32_t option) {
  solution[node] = option;
  return solution;
}

/// Sets `result` to the optimal `solution`. A solution that does not verify proves nothing.
static void settle(const StrategyProblem &problem, StrategySolution solution, SolveResult &result) {
  Verdict verdict = verify(problem, solution);
  if (!verdict.ok()) {
    result.status = SolveStatus::Unknown;
    result.reason = "the elimination found an invalid solution";
    return;
  }
  result.status = SolveStatus::Optimal;
  result.reason.clear();
  result.solution = std::move(solution);
  result.cost = result.bound = verdict.cost;
}

/// Solves for all options by one elimination. Returns false if its tables or costs are too large.
static bool eliminate(const StrategyProblem &problem, int node, double seconds,
                      std::vector<SolveResult> &results) {
  Stopwatch clock;
  Core core(problem);
  if (core.shift > 0)
    return false;
  core.kept = node;
  std::vector<Segment> segments;
  if (!core.isContradictory())
    segments = reduce(core);
  std::vector<EliminationResult> found;
  if (!core.isContradictory()) {
    compact(core, segments);
    found = eliminateForEach(core, segments, budget, [&] { return clock.seconds() > seconds; });
    if (!found.front().isComplete)
      return false;
  }
  for (SolveResult &result : results) {
    result.status = SolveStatus::Infeasible;
    result.reason = "no solution has this option";
  }
  for (EliminationResult &each : found)
    if (each.isFeasible) {
      StrategySolution solution = core.expand(each.options);
      int32_t option = solution[node];
      settle(problem, std::move(solution), results[option]);
    }
  return true;
}

/// Solves for one option by a search of its own. The search starts from `known`, changed to the
/// option.
static SolveResult search(const StrategyProblem &problem, int node, int32_t option,
                          const StrategySolution &known, SolveOptions options) {
  StrategyProblem fixed = fixOption(problem, node, option);
  if (StrategySolution start = toFixed(known, node); verify(fixed, start).ok())
    options.initial = improve(fixed, std::move(start));
  SolveResult result = solveBest(fixed, options);
  if (result.hasSolution())
    result.solution = fromFixed(std::move(result.solution), node, option);
  result.certificate = nullptr;
  return result;
}

std::vector<SolveResult> solveForEachOption(const StrategyProblem &problem, int node,
                                            const StrategySolution &known,
                                            const SolveOptions &options) {
  Stopwatch clock;
  std::vector<SolveResult> results(problem.nodes[node].size());
  if (eliminate(problem, node, options.seconds / 2, results))
    return results;
  for (size_t option = 0; option < results.size(); ++option) {
    SolveOptions share = options;
    share.seconds = (options.seconds - clock.seconds()) / double(results.size() - option);
    if (share.seconds <= 0)
      results[option].reason = "there was no time left";
    else
      results[option] = search(problem, node, static_cast<int32_t>(option), known, share);
  }
  return results;
}

} // namespace pcc::solve
