// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diving, as in mixed integer programming: fixes variables one by one and continues with the rest.
//
// After the reductions, one or a few nodes of a large problem are connected to half of it. They
// choose the mesh axis of the whole graph, and no local move repairs a wrong choice. So their
// options compete: each option is fixed in turn, and prices and messages continue from there. After
// each lap the better options stay. The winner is fixed for good, and solutions are improved in the
// remaining problem.

#include "passes/solve/strategy/branch/BestSearch.h"

namespace pcc::solve {

namespace {

/// A hub and the result of the comparison of its options.
struct Race {
  int node = -1;
  int32_t winner = 0;
  double spread = 0; ///< difference of the two best bounds
};

/// Compares the options of `node`. Each lap takes `stepsPerLap` steps; afterwards two thirds of the
/// options drop out.
Race race(SearchContext &context, const Branch &branch, int node, int stepsPerLap, int laps) {
  const FlatNode &hub = branch.flat->nodes[node];
  std::vector<std::pair<int32_t, std::unique_ptr<PriceSearch>>> runners;
  for (int32_t a = 0; a < hub.size; ++a) {
    auto runner = std::make_unique<PriceSearch>(*branch.prices);
    runner->fix(node, a);
    runners.emplace_back(a, std::move(runner));
  }
  double target = branch.withoutConstant(context.cutoff());
  uint64_t entries = uint64_t(stepsPerLap) * branch.prices->messages.work();
  for (int lap = 0; lap < laps && !context.stop()(); ++lap) {
    std::vector<std::function<void()>> tasks;
    for (auto &runner : runners)
      tasks.emplace_back([&] { runner.second->advance(entries, target, context.stop()); });
    runTasks(tasks, context.options.threads);
    context.spend(entries *
                  ((tasks.size() + context.options.threads - 1) / context.options.threads));
    std::stable_sort(runners.begin(), runners.end(), [](const auto &a, const auto &b) {
      return a.second->bound() < b.second->bound();
    });
    if (lap + 1 < laps)
      runners.resize(std::max<size_t>(2, (runners.size() + 2) / 3));
  }
  return {node, runners[0].first, runners[1].second->bound() - runners[0].second->bound()};
}

/// Compares the options of some hubs and fixes the most decisive hub. Returns false if none is
/// decisive.
bool fixHub(SearchContext &context, Branch &branch, BranchImprover &improver) {
  Race best;
  for (int hub : findHubs(*branch.flat, 3)) {
    Race one = race(context, branch, hub, 20, 3);
    if (context.isOver())
      return false;
    if (one.spread > best.spread)
      best = one;
  }
  if (best.node < 0 || best.spread <= 1e-3 * std::abs(double(context.cutoff())))
    return false;
  int node = branch.flat->nodes[best.node].coreNode;
  improver.keepSolutions();
  branch.core.keepOptions(node, {best.winner});
  branch.core.normalize(node);
  branch.reduceAgain(context.stop());
  improver.restart();
  return true;
}

} // namespace

void dive(SearchContext &context, const Branch &root, SolutionPool pool) {
  if (!context.mayRebuild())
    return;
  Branch branch(root.core, root.timedPrices(), root.style, root.bound, context.stop());
  if (!branch.isOpen())
    return;
  pool.project(branch.core, *branch.flat);
  BranchImprover improver(context, branch, context.options.seed + 1, std::move(pool));
  bool mayFix = true;
  while (branch.isOpen() && !context.isOver()) {
    improver.epoch(!improver.isStalled());
    if (!context.mayRebuild())
      continue;
    if (mayFix && improver.isStalled() && improver.isSettled())
      mayFix = fixHub(context, branch, improver);
    else
      improver.shrink(0.02, false);
    context.report(false);
  }
}

} // namespace pcc::solve
