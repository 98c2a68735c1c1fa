// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch and bound: expands the branches with the lowest bounds first, one per thread at a time.

#include "passes/solve/strategy/branch/BestSearch.h"

namespace pcc::solve {

namespace {

/// Steps of prices and moves on a branch before it is split.
constexpr int stepsPerBranch = 60;

/// Work of exact bounds, reductions and new tables, in steps of prices.
constexpr uint64_t stepsToRebuild = 25;

/// Work of a branch besides its prices and moves, in table entries.
constexpr uint64_t perBranch = 100'000;

/// Result of one task.
struct Outcome {
  std::vector<CertificateStage> stages;
  std::vector<StrategySolution> solutions;
  std::vector<std::unique_ptr<Branch>> children;
  uint64_t work = 0;
};

struct Split {
  int node = -1;
  std::vector<std::vector<int32_t>> groups; ///< of the options that pruning left
  std::vector<Int128> bounds;               ///< minimum of each group
};

/// Returns the node whose second-best option is farthest from the bound. Its mean bound and its
/// degree count a little as well.
Split chooseSplit(const Branch &branch, Int128 cutoff) {
  Split best;
  double bestScore = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < branch.flat->nodes.size(); ++i) {
    const FlatNode &node = branch.flat->nodes[i];
    std::vector<std::pair<Int128, int32_t>> kept;
    for (int a = 0; a < node.size; ++a)
      if (branch.exact.options[node.first + a] < cutoff)
        kept.emplace_back(branch.exact.options[node.first + a], int32_t(kept.size()));
    if (kept.size() < 2)
      continue;
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    double mean = 0;
    for (auto [bound, option] : kept)
      mean += double(bound - branch.bound) / double(kept.size());
    double score =
        double(kept[1].first - branch.bound) + 0.25 * mean + 1e-3 * double(node.neighbors.size());
    if (score <= bestScore)
      continue;
    bestScore = score;
    best = {static_cast<int>(i), {}, {}};
    size_t half = kept.size() <= 4 ? 1 : (kept.size() + 1) / 2;
    for (size_t k = 0; k < kept.size(); ++k) {
      if (k % half == 0) {
        best.groups.emplace_back();
        best.bounds.push_back(kept[k].first);
      }
      best.groups.back().push_back(kept[k].second);
    }
    for (auto &group : best.groups)
      std::sort(group.begin(), group.end());
  }
  return best;
}

class BranchTask {
public:
  BranchTask(const StrategyProblem &problem, Branch &branch, Int128 cutoff, uint64_t seed,
             const Stop &stop)
      : problem(problem), branch(branch), cutoff(cutoff), seed(seed), stop(stop) {}

  Outcome run() {
    branch.wake();
    for (int turn = 0; turn < 4 && branch.isOpen() && !stop(); ++turn) {
      size_t before = branch.flat->options;
      improve(turn == 0 ? stepsPerBranch : stepsPerBranch / 2);
      branch.settle(2, cutoff);
      outcome.stages.push_back(branch.pruneExactly(cutoff));
      if (!branch.core.isContradictory() && branch.bound < cutoff) {
        size_t after = countLeft();
        if (double(after) > 0.8 * double(before) || turn == 3) {
          split();
          return std::move(outcome);
        }
      }
      branch.reduceAgain(stop);
    }
    if (branch.isSolved() && branch.core.constant < cutoff)
      outcome.solutions.push_back(branch.core.expand({}));
    return std::move(outcome);
  }

private:
  /// Counts the padded options of the flat problem that pruning left.
  size_t countLeft() const {
    size_t count = 0;
    for (const FlatNode &node : branch.flat->nodes)
      count += padded(branch.core.nodes[node.coreNode].size());
    return count;
  }

  void improve(int steps) {
    PriceSearch &prices = *branch.prices;
    prices.advance(uint64_t(steps) * prices.messages.work(), branch.withoutConstant(cutoff), stop);
    if (prices.decoded().empty())
      return; // cut off
    LocalSearch search(*branch.flat, prices.decoded(), seed);
    search.setPrices(prices.prices());
    search.run(uint64_t(steps) * prices.messages.work() / 6, stop);
    outcome.work +=
        prices.work + kMoveWeight * search.work() + stepsToRebuild * prices.messages.work();
    prices.work = 0;
    if (!search.best().isFeasible() || search.best().cost() >= branch.withoutConstant(cutoff))
      return;
    Incumbent found(problem);
    if (!found.offer(branch.core.expand(search.best().options())))
      return;
    cutoff = std::min(cutoff, toCoreUnits(branch.core, found.cost));
    outcome.solutions.push_back(std::move(found.solution));
  }

  void split() {
    Split chosen = chooseSplit(branch, cutoff);
    CertificateStage &stage = outcome.stages.back();
    if (chosen.node < 0) { // one option each: the reductions do the rest
      outcome.children.push_back(child(branch.core, branch.bound, 0));
      stage.below = {-1};
      return;
    }
    stage.split = chosen.node;
    stage.groups = chosen.groups;
    stage.below.assign(chosen.groups.size(), -1);
    int node = branch.flat->nodes[chosen.node].coreNode;
    for (size_t g = 0; g < chosen.groups.size(); ++g) {
      Core part = branch.core;
      part.keepOptions(node, chosen.groups[g]);
      part.normalize(node);
      outcome.children.push_back(
          child(std::move(part), std::max(branch.bound, chosen.bounds[g]), int(g)));
    }
  }

  std::unique_ptr<Branch> child(Core core, Int128 bound, int childIndex) {
    auto added =
        std::make_unique<Branch>(std::move(core), branch.timedPrices(), branch.style, bound, stop);
    added->childIndex = childIndex;
    return added;
  }

  const StrategyProblem &problem;
  Branch &branch;
  Int128 cutoff;
  uint64_t seed;
  const Stop &stop;
  Outcome outcome;
};

} // namespace

bool isTreeAffordable(const SearchContext &context, const Branch &root) {
  uint64_t each = 2 * stepsPerBranch * root.prices->messages.work() + perBranch;
  return context.left() / each >= 200;
}

Int128 searchTree(SearchContext &context, std::unique_ptr<Branch> root) {
  std::vector<std::unique_ptr<Branch>> open;
  open.push_back(std::move(root));
  Stop stop = context.stop();
  uint64_t count = 0;
  while (!open.empty() && !context.isOver()) {
    std::stable_sort(open.begin(), open.end(),
                     [](const auto &a, const auto &b) { return a->bound > b->bound; });
    context.raiseBound(std::min(open.back()->bound, context.cutoff()));
    std::vector<std::unique_ptr<Branch>> chosen;
    while (!open.empty() && static_cast<int>(chosen.size()) < context.options.threads) {
      if (open.back()->bound < context.cutoff() && !open.back()->isClosed())
        chosen.push_back(std::move(open.back()));
      open.pop_back();
    }
    std::vector<Outcome> outcomes(chosen.size());
    std::vector<std::function<void()>> tasks;
    for (size_t i = 0; i < chosen.size(); ++i)
      tasks.emplace_back([&, i, seed = context.options.seed * 7919 + ++count] {
        outcomes[i] = BranchTask(context.problem, *chosen[i], context.cutoff(), seed, stop).run();
      });
    runTasks(tasks, context.options.threads);
    uint64_t most = 0;
    for (size_t i = 0; i < chosen.size(); ++i) {
      for (CertificateStage &stage : outcomes[i].stages)
        context.appendStage(*chosen[i], std::move(stage));
      for (const StrategySolution &solution : outcomes[i].solutions)
        context.incumbent.offer(solution);
      for (auto &added : outcomes[i].children) {
        added->parentStage = chosen[i]->parentStage;
        added->sleep();
        open.push_back(std::move(added));
      }
      // A branch that the clock cut off before its split stays open.
      chosen[i]->sleep();
      if (!chosen[i]->isClosed() && !chosen[i]->isSolved() && outcomes[i].children.empty())
        open.push_back(std::move(chosen[i]));
      most = std::max(most, outcomes[i].work);
    }
    context.spend(most + perBranch);
    context.report(false);
  }
  Int128 bound = context.cutoff();
  for (const auto &branch : open)
    if (!branch->isClosed())
      bound = std::min(bound, branch->bound);
  return bound;
}

} // namespace pcc::solve
