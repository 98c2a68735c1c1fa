// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the phases of BestSearch.h. The folded search comes first, if the problem has
// repeated layers. The root is then improved and pruned until it stalls. A root that branch and
// bound can afford ends there; a larger one ends in diving.
#include "passes/solve/strategy/branch/BestSearch.h"

#include "passes/solve/strategy/primal/Improve.h"

namespace pcc::solve {

const char *stringify(SolveStatus status) {
  const char *const names[] = {"optimal", "feasible", "infeasible", "unknown"};
  return names[static_cast<int>(status)];
}

/// Returns more than the sum of the highest finite costs of all nodes and edges.
static Int128 findCostCeiling(const Core &core) {
  auto dearest = [](const std::vector<Cost> &costs) {
    Cost most = 0;
    for (Cost cost : costs)
      most = cost < kInfinite ? std::max(most, cost) : most;
    return most;
  };
  Int128 sum = core.constant + 1;
  for (const CoreNode &node : core.nodes)
    sum += dearest(node.costs);
  for (const CoreEdge &edge : core.edges)
    sum += dearest(edge.table);
  return sum;
}

/// Searches and prunes at the root, then continues with the method that suits the remaining
/// problem.
static void search(SearchContext &context, std::unique_ptr<Branch> root) {
  BranchImprover improver(context, *root, context.options.seed);
  if (root->isOpen()) {
    if (context.incumbent.isKnown)
      improver.adopt(root->core.project(context.incumbent.solution));
    if (root->timedPrices().empty())
      improver.raceStyles();
  }
  auto hasMore = [&] {
    return !improver.isStalled() || !(improver.isSettled() || isTreeAffordable(context, *root));
  };
  while (root->isOpen() && !context.isOver() && hasMore()) {
    improver.epoch(!improver.isStalled());
    // Prices need some steps to recover after a rebuild of the root. While the bound still rises,
    // only much pruning is worth that.
    if (!context.isOver() && context.mayRebuild())
      improver.shrink(improver.isQuiet() ? 0.02 : 0.15, true);
    context.report(false);
  }
  if (root->isOpen() && !context.isOver() && isTreeAffordable(context, *root)) {
    context.raiseBound(searchTree(context, std::move(root)));
    return;
  }
  if (root->isOpen())
    improver.certify();
  if (root->isOpen() && !context.isOver())
    dive(context, *root, std::move(improver.pool));
  if (root->isClosed())
    context.raiseBound(context.cutoff());
  if (root->isSolved()) {
    context.offer(*root, {});
    context.raiseBound(context.cutoff());
  }
}

/// Offers a greedy solution when the search ended before its first decoding. This happens with
/// large tables.
static void offerFirst(SearchContext &context) {
  std::optional<StrategySolution> first = solveGreedily(context.problem);
  if (!first)
    return;
  context.incumbent.offer(*first);
  if (context.secondsLeft() > 0)
    context.incumbent.offer(improve(context.problem, std::move(*first), /*rounds=*/32));
}

static SolveResult answer(SearchContext &context, SolveStatistics statistics) {
  SolveResult result;
  statistics.seconds = context.clock.seconds();
  statistics.work = context.work;
  statistics.isCutOff = context.isCutOff();
  result.statistics = statistics;
  result.bound = context.bound << context.shift;
  if (context.incumbent.isKnown) {
    result.solution = context.incumbent.solution;
    result.cost = context.incumbent.cost;
    result.bound = std::min(result.bound, result.cost);
    result.status = result.bound >= result.cost ? SolveStatus::Optimal : SolveStatus::Feasible;
  } else if (context.bound >= context.costCeiling) {
    result.status = SolveStatus::Infeasible;
    result.reason = "no choice of options fits";
  } else {
    result.reason = context.reachesCutoff() ? "no solution costs less than the cutoff"
                                            : "no solution was found in the time given";
  }
  result.certificate = std::make_shared<Certificate>(std::move(context.certificate));
  return result;
}

SolveResult solveBest(const StrategyProblem &problem, const SolveOptions &options) {
  SearchContext context(problem, options);
  if (options.initial)
    context.incumbent.offer(*options.initial);
  FoldedPrices folded = searchFolded(context);
  if (context.incumbent.isKnown && context.isOver()) {
    context.report(true);
    return answer(context, {});
  }
  Stopwatch build;
  context.spendOnCore();
  Core core(problem);
  context.shift = core.shift;
  context.bound >>= core.shift;
  context.costCeiling = core.isContradictory() ? 0 : findCostCeiling(core);
  auto root =
      std::make_unique<Branch>(std::move(core), folded.prices, folded.style, 0, context.stop());
  context.buildSeconds = build.seconds();
  SolveStatistics statistics;
  if (root->isOpen()) {
    statistics.nodes = root->flat->nodes.size();
    statistics.edges = root->flat->edges.size();
    statistics.segments = root->segments.size();
  }
  std::string reason = root->core.contradiction;
  search(context, std::move(root));
  if (!context.incumbent.isKnown && context.bound < context.costCeiling)
    offerFirst(context);
  context.report(true);
  SolveResult result = answer(context, statistics);
  if (result.status == SolveStatus::Infeasible && !reason.empty())
    result.reason = reason;
  return result;
}

} // namespace pcc::solve
