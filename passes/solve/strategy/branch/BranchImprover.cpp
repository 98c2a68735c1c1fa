// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An epoch runs parallel tasks with the same amount of work. One task moves the prices, if
// requested; the others run descents. All tasks end before the next epoch, so results do
// not depend on their speed.
#include "passes/solve/strategy/branch/BestSearch.h"

#include <cmath>

namespace pcc::solve {

BranchImprover::BranchImprover(SearchContext &context, Branch &branch, uint64_t seed,
                               SolutionPool pool)
    : pool(std::move(pool)), context(context), branch(branch), seed(seed) {}

uint64_t BranchImprover::quantum() const { return 20 * branch.prices->messages.work(); }

double BranchImprover::gap() const {
  return std::max(branch.withoutConstant(context.cutoff()) - branch.prices->bound(), 0.0);
}

std::vector<int> findHubs(const FlatProblem &flat, size_t count) {
  std::vector<int> hubs;
  for (size_t i = 0; i < flat.nodes.size(); ++i)
    if (flat.nodes[i].size > 1)
      hubs.push_back(static_cast<int>(i));
  std::stable_sort(hubs.begin(), hubs.end(), [&](int a, int b) {
    return flat.nodes[a].neighbors.size() > flat.nodes[b].neighbors.size();
  });
  hubs.resize(std::min(hubs.size(), count));
  return hubs;
}

/// Starts a descent. Every second one starts from a decoding of the prices. The others start from a
/// decoding with another option of one of the hubs.
std::unique_ptr<Descent> BranchImprover::begin() {
  const FlatProblem &flat = *branch.flat;
  uint64_t number = numDescents++, own = seed * 1'000'003 + number;
  Random random(own);
  std::vector<int> hubs = findHubs(flat, 12);
  if (number % 2 == 0 || hubs.empty()) {
    std::vector<int32_t> start = branch.prices->decoded();
    if (number > 0)
      branch.prices->messages.decode(number % 4 == 0, start);
    return std::make_unique<Descent>(flat, std::move(start), branch.prices->prices(), own);
  }
  int hub = hubs[random.below(static_cast<uint32_t>(hubs.size()))];
  auto probe = std::make_unique<PriceSearch>(*branch.prices);
  probe->fix(hub, static_cast<int>(random.below(flat.nodes[hub].size)));
  return std::make_unique<Descent>(flat, std::move(probe), branch.withoutConstant(context.cutoff()),
                                   own);
}

void BranchImprover::raceStyles() {
  std::unique_ptr<PriceSearch> rivals[2];
  const StepStyle styles[2] = {kSharpSteps, kSmoothSteps};
  for (int i = 0; i < 2; ++i)
    rivals[i] = std::make_unique<PriceSearch>(*branch.flat, styles[i], branch.prices->constant);
  for (int lap = 0; lap < 6 && !context.isOver(); ++lap) {
    std::vector<std::function<void()>> tasks;
    uint64_t entries = quantum();
    double target = branch.withoutConstant(context.cutoff());
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

void BranchImprover::epoch(bool withPrices) {
  double target = branch.withoutConstant(context.cutoff());
  if (branch.prices->decoded().empty())
    branch.prices->advance(1, target, context.stop());
  if (branch.prices->decoded().empty())
    return;
  size_t movers = std::max(1, context.options.threads - (withPrices ? 1 : 0));
  for (; descents.size() > movers; descents.pop_back())
    offer(descents.back().get());
  descents.resize(movers);
  std::vector<std::function<void()>> tasks;
  uint64_t entries = quantum();
  if (withPrices)
    tasks.emplace_back([&] { branch.prices->advance(entries, target, context.stop()); });
  for (auto &descent : descents) {
    if (!descent)
      descent = begin();
    tasks.emplace_back([&] { descent->run(entries / kMoveWeight, pool, context.stop()); });
  }
  runTasks(tasks, context.options.threads);
  size_t rounds = (tasks.size() + context.options.threads - 1) / context.options.threads;
  context.spend(entries * rounds);
  ++quiet;
  collect();
  if (withPrices && branch.prices->bound() > lastBound + 0.01 * gap()) {
    lastBound = branch.prices->bound();
    quiet = 0;
  }
}

/// Offers the solutions of the descents and removes the finished descents.
void BranchImprover::collect() {
  for (auto &descent : descents) {
    if (const State *best = descent->best();
        best && best->isFeasible() && best->cost() < branch.withoutConstant(context.cutoff()) &&
        context.offer(branch, best->options())) {
      quiet = std::min(quiet, 4);
      idleDescents = 0;
    }
    if (!descent->isDone())
      continue;
    offer(descent.get());
    ++idleDescents;
    descent.reset();
  }
}

/// Adds the result of a descent to the solution pool. A null descent has none.
void BranchImprover::offer(const Descent *descent) {
  if (descent && descent->best())
    pool.offer(*descent->best());
}

void BranchImprover::adopt(std::vector<int32_t> options) {
  pool.offer(State(*branch.flat, std::move(options)));
}

static size_t countOptions(const Core &core) {
  size_t count = 0;
  for (const CoreNode &node : core.nodes)
    count += node.costs.size();
  return count;
}

void BranchImprover::shrink(double share, bool certify) {
  if (gap() > 0.98 * gapAtShrink && share >= shareAtShrink)
    return;
  gapAtShrink = gap();
  shareAtShrink = share;
  size_t count = branch.settle(4, context.cutoff()), all = 0;
  context.spend(6 * branch.prices->messages.work());
  for (const FlatNode &node : branch.flat->nodes)
    all += node.size;
  if (double(count) < share * double(all) && gap() > 0)
    return;
  size_t before = countOptions(branch.core);
  CertificateStage stage = branch.pruneExactly(context.cutoff());
  // The exact integer bounds may prune nothing.
  if (branch.core.isContradictory() || countOptions(branch.core) < before)
    rebuild(std::move(stage), certify);
}

void BranchImprover::certify() {
  branch.settle(4, context.cutoff());
  rebuild(branch.pruneExactly(context.cutoff()), true);
}

void BranchImprover::rebuild(CertificateStage stage, bool certify) {
  keepSolutions();
  if (certify) {
    context.raiseBound(branch.bound);
    context.appendStage(branch, std::move(stage));
  }
  branch.reduceAgain(context.stop());
  restart();
}

void BranchImprover::keepSolutions() {
  for (auto &descent : descents)
    offer(descent.get());
  descents.clear();
}

void BranchImprover::restart() {
  if (branch.isOpen())
    pool.project(branch.core, *branch.flat);
  quiet = 0;
  lastBound = 0;
  gapAtShrink = std::numeric_limits<double>::infinity();
  shareAtShrink = 1;
}

} // namespace pcc::solve
