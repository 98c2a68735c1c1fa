// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/BestSearch.h"

#include <cmath>

namespace pcc::solve {

/// A move looks at an entry for longer than a message does.
static constexpr double moveShare = 0.6;

/// A search starts anew when it looked at the tables this many times and found nothing.
static constexpr uint64_t patience = 600;

Team::Team(SearchContext &context, Branch &branch, uint64_t seed)
    : context(context), branch(branch), seed(seed) {}

uint64_t Team::quantum() const { return 20 * branch.prices->messages.work(); }

std::vector<int32_t> Team::decodeWithHub() {
  // The nodes with the most neighbours decide most: another option of one of them leads elsewhere.
  std::vector<int> hubs;
  for (size_t i = 0; i < branch.instance->nodes.size(); ++i)
    if (branch.instance->nodes[i].size > 1)
      hubs.push_back(static_cast<int>(i));
  auto hasMore = [&](int a, int b) {
    return branch.instance->nodes[a].neighbours.size() >
           branch.instance->nodes[b].neighbours.size();
  };
  if (hubs.empty())
    return branch.prices->decoded();
  std::stable_sort(hubs.begin(), hubs.end(), hasMore);
  Random random(seed * 77 + restarts);
  int hub = hubs[random.below(static_cast<uint32_t>(std::min<size_t>(hubs.size(), 6)))];
  PriceSearch probe(*branch.prices);
  probe.fix(hub, static_cast<int>(random.below(branch.instance->nodes[hub].size)));
  uint64_t entries = 16 * probe.messages.work();
  probe.advance(entries, branch.toInstance(context.cutoff()), context.stop());
  context.spend(entries);
  return probe.decoded().empty() ? branch.prices->decoded() : probe.decoded();
}

void Team::startAnew(std::unique_ptr<LocalSearch> &search, bool pricesMoved) {
  keepBest();
  ++restarts;
  std::vector<int32_t> from =
      pricesMoved || restarts % 2 == 0 ? branch.prices->decoded() : decodeWithHub();
  search = std::make_unique<LocalSearch>(*branch.instance, std::move(from),
                                         seed * 1000 + searches.size() + restarts);
  search->setPrices(branch.prices->prices());
}

void Team::raceStyles() {
  std::unique_ptr<PriceSearch> rivals[2];
  const StepStyle styles[2] = {kSharpSteps, kSmoothSteps};
  for (int i = 0; i < 2; ++i)
    rivals[i] = std::make_unique<PriceSearch>(*branch.instance, styles[i], branch.prices->constant);
  for (int lap = 0; lap < 6 && !context.isOver(); ++lap) {
    std::vector<std::function<void()>> tasks;
    uint64_t entries = quantum();
    double target = branch.toInstance(context.cutoff());
    for (auto &rival : rivals)
      tasks.emplace_back([&] { rival->advance(entries, target, context.stop()); });
    runTasks(tasks, context.options.threads);
    context.spend(context.options.threads > 1 ? entries : 2 * entries);
    for (auto &rival : rivals)
      if (!rival->decoded().empty())
        context.offer(branch, rival->decoded());
  }
  bool second = rivals[1]->bound() > rivals[0]->bound();
  branch.prices = std::move(rivals[second]);
  branch.style = styles[second];
}

void Team::epoch(bool withPrices) {
  int movers = std::max(1, context.options.threads - (withPrices ? 1 : 0));
  if (branch.prices->decoded().empty())
    branch.prices->advance(1, branch.toInstance(context.cutoff()), context.stop());
  if (branch.prices->decoded().empty())
    return;
  if (start.empty())
    start = branch.prices->decoded();
  while (static_cast<int>(searches.size()) < movers)
    searches.push_back(
        std::make_unique<LocalSearch>(*branch.instance, start, seed * 1000 + searches.size()));
  std::vector<std::function<void()>> tasks;
  uint64_t entries = quantum();
  double target = branch.toInstance(context.cutoff());
  std::vector<double> prices = branch.prices->prices();
  // Better prices lead to better solutions than a search on worse ones comes to.
  bool pricesMoved =
      branch.prices->bound() > boundAtStart + 0.1 * std::max(target - branch.prices->bound(), 0.0);
  if (pricesMoved)
    boundAtStart = branch.prices->bound();
  for (auto &search : searches) {
    search->setPrices(prices);
    if (pricesMoved || search->idleWork() > patience * branch.instance->tableEntries)
      startAnew(search, pricesMoved);
  }
  if (withPrices)
    tasks.emplace_back([&] { branch.prices->advance(entries, target, context.stop()); });
  for (auto &search : searches)
    tasks.emplace_back([&] { search->run(uint64_t(double(entries) * moveShare), context.stop()); });
  runTasks(tasks, context.options.threads);
  size_t rounds = (tasks.size() + context.options.threads - 1) / context.options.threads;
  context.spend(entries * rounds);
  ++quiet;
  offerAll();
  double gap = std::max(branch.toInstance(context.cutoff()) - branch.prices->bound(), 0.0);
  if (branch.prices->bound() > lastBound + 0.01 * gap) {
    lastBound = branch.prices->bound();
    quiet = 0;
  }
}

void Team::offerAll() {
  const LocalSearch *best = nullptr;
  for (auto &search : searches)
    if (search->best().isFeasible() && (!best || search->best().cost() < best->best().cost()))
      best = search.get();
  if (!best)
    return;
  if (double(best->best().cost()) < branch.toInstance(context.cutoff()) &&
      context.offer(branch, best->best().options()))
    quiet = std::min(quiet, 4);
}

bool Team::shrink(double share, bool certify) {
  Int128 cutoff = context.cutoff();
  size_t count = branch.settle(4, cutoff);
  size_t all = 0;
  for (const InstanceNode &node : branch.instance->nodes)
    all += node.size;
  if (double(count) < share * double(all) && branch.prices->bound() < branch.toInstance(cutoff))
    return false;
  keepBest();
  CertificateStage stage = branch.pruneExactly(cutoff);
  if (certify) {
    context.raise(branch.bound);
    context.hang(branch, std::move(stage));
  }
  branch.renew();
  restart();
  return true;
}

void Team::keepBest() {
  for (auto &search : searches)
    if (double cost = search->best().isFeasible() ? search->best().cost() : 2.0 * double(kFar);
        start.size() != branch.instance->nodes.size() || cost < startCost) {
      start = search->best().options();
      startCost = cost;
    }
}

void Team::restart() {
  // The solutions go on in the smaller core.
  if (branch.isOpen() && !start.empty())
    start = branch.core.follow(std::move(start));
  startCost = 2.0 * double(kFar);
  if (branch.isOpen() && !start.empty()) {
    State state(*branch.instance, start);
    if (state.isFeasible())
      startCost = state.cost();
  }
  searches.clear();
  quiet = 0;
  lastBound = 0;
  boundAtStart = -std::numeric_limits<double>::infinity();
}

} // namespace pcc::solve
