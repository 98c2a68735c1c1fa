// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After the reductions one or a few nodes of a large problem touch half of it: they choose the mesh
// axis of the whole graph, and no local move leaves a wrong choice. Their options race: each is
// fixed, prices and messages go on, and after each lap the better ones stay. The winner is fixed
// for good, and solutions are improved in what is left.

#include "passes/solve/BestSearch.h"

namespace pcc::solve {

namespace {

/// A hub and what its options promise.
struct Race {
  int node = -1;
  int32_t winner = 0;
  double spread = 0; ///< of the two best bounds
};

/// Lets the options of `node` race. Each lap takes so many steps; two thirds drop out after each.
Race race(SearchContext &context, const Branch &branch, int node, int stepsPerLap, int laps) {
  const InstanceNode &hub = branch.instance->nodes[node];
  std::vector<std::pair<int32_t, std::unique_ptr<PriceSearch>>> runners;
  for (int32_t a = 0; a < hub.size; ++a) {
    auto runner = std::make_unique<PriceSearch>(*branch.prices);
    runner->fix(node, a);
    runners.emplace_back(a, std::move(runner));
  }
  double target = branch.toInstance(context.cutoff());
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

/// The nodes with the most neighbours that were not tried yet.
std::vector<int> findHubs(const Branch &branch, size_t count) {
  std::vector<int> order;
  for (size_t i = 0; i < branch.instance->nodes.size(); ++i)
    if (branch.instance->nodes[i].size > 1)
      order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return branch.instance->nodes[a].neighbours.size() >
           branch.instance->nodes[b].neighbours.size();
  });
  order.resize(std::min(order.size(), count));
  return order;
}

} // namespace

void dive(SearchContext &context, const Branch &root) {
  if (!context.mayRebuild())
    return;
  Branch branch(root.core, root.timedPrices(), root.style, root.bound);
  if (!branch.isOpen())
    return;
  Team team(context, branch, context.options.seed + 1);
  bool mayFix = true;
  while (branch.isOpen() && !context.isOver()) {
    team.epoch(!team.isStalled());
    if (context.isOver())
      break;
    if (team.isStalled() && mayFix && context.mayRebuild()) {
      Race best;
      for (int hub : findHubs(branch, 3)) {
        Race one = race(context, branch, hub, 20, 3);
        if (one.spread > best.spread)
          best = one;
        if (context.isOver())
          return;
      }
      double whole = std::abs(double(context.cutoff()));
      mayFix = best.node >= 0 && best.spread > 1e-3 * whole;
      if (mayFix) {
        int node = branch.instance->nodes[best.node].coreNode;
        team.keepBest();
        branch.core.keepOptions(node, {best.winner});
        branch.core.normalise(node);
        branch.renew();
        team.restart();
        continue;
      }
    }
    if (context.mayRebuild())
      team.shrink(0.02, false);
    context.report(false);
  }
}

} // namespace pcc::solve
