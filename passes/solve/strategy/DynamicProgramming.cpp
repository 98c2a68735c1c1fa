// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces the problem and eliminates all nodes of the core. Elimination gets half of the time. If
// it ends early, or if costs were scaled down, solveBest continues; it starts from the solution
// found, if any. If the time is too short for that, solveBest gets all of it.
#include "passes/solve/strategy/Solve.h"
#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/problem/Incumbent.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include "passes/solve/strategy/problem/Work.h"
#include "passes/solve/strategy/reduce/Elimination.h"
#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

/// Maximum number of entries in all tables together: about a gigabyte.
static constexpr uint64_t budget = 100'000'000;

/// Returns whether the reductions alone would take the time of the elimination, half of the limit.
static bool isTooLarge(const StrategyProblem &problem, const SolveOptions &options) {
  return secondsOfWork(workToReduce(problem)) > options.seconds / 2;
}

/// Returns the result of solveBest, after `work`, with the reason why it took over.
static SolveResult handOver(const StrategyProblem &problem, const SolveOptions &options,
                            uint64_t work, const std::string &reason) {
  SolveResult result = solveBest(problem, options);
  result.statistics.work += work;
  result.reason = reason + ", so that the anytime search took over" +
                  (result.reason.empty() ? "" : ": " + result.reason);
  return result;
}

/// Whether the core's costs equal the problem's costs, so that their optima are equal.
static bool isExact(const Core &core) { return core.shift == 0; }

SolveResult solveByDynamicProgramming(const StrategyProblem &problem, const SolveOptions &options) {
  if (isTooLarge(problem, options))
    return handOver(problem, options, /*work=*/0, "the reductions would take half of the time");
  Stopwatch clock;
  SolveResult result;
  Core core(problem);
  std::vector<Segment> segments;
  if (!core.isContradictory())
    segments = reduce(core);
  EliminationResult found;
  if (!core.isContradictory()) {
    compact(core, segments);
    result.statistics.nodes = core.nodes.size();
    result.statistics.edges = core.edges.size();
    result.statistics.segments = segments.size();
    // The remaining time is for the anytime search.
    found =
        eliminateAll(core, segments, budget, [&] { return clock.seconds() > options.seconds / 2; });
  }
  result.statistics.seconds = clock.seconds();
  result.statistics.work = workToReduce(problem) + found.entries;
  if (core.isContradictory() || (found.isComplete && !found.isFeasible)) {
    result.status = SolveStatus::Infeasible;
    result.reason = core.isContradictory() ? core.contradiction : "no choice of options fits";
    return result;
  }
  if (found.isComplete && isExact(core)) {
    Incumbent incumbent(problem);
    incumbent.offer(core.expand(found.options));
    result.status = SolveStatus::Optimal;
    result.solution = incumbent.solution;
    result.cost = result.bound = incumbent.cost;
    return result;
  }
  SolveOptions rest = options;
  rest.elapsed = options.elapsed + clock.seconds();
  if (found.isComplete)
    rest.initial = core.expand(found.options);
  return handOver(problem, rest, result.statistics.work,
                  found.isComplete ? "costs are too large to be added up exactly" : found.reason);
}

} // namespace pcc::solve
