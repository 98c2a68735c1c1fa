// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/symmetry/FoldedSearch.h"

#include "passes/solve/strategy/symmetry/FoldedLevel.h"
#include "passes/solve/strategy/symmetry/Repetitions.h"

namespace pcc::solve {

/// Minimum number of nodes for folding. Smaller problems are searched quickly without it.
static constexpr size_t minNodes = 2000;

/// Number of groups of instances that may have different options.
static constexpr int groupCount = 8;

/// Maximum number of rounds with groups.
static constexpr int groupRounds = 40;

/// Rounds with the original problem continue while each leaves less than this fraction of the gap.
static constexpr double maxGapRatio = 0.99;

namespace {

class FoldedSearch {
public:
  explicit FoldedSearch(SearchContext &context)
      : context(context), problem(context.problem), tables(problem) {}

  FoldedPrices run() {
    NodeClasses similar = findSimilarNodes(problem, tables);
    if (similar.count == 0)
      return {};
    times = findBindingTimes(problem);
    FoldedLevel coarse(context, fold(similar));
    coarse.race();
    NodeClasses groups = splitByInstances(similar, findRepetitions(problem, similar), groupCount);
    FoldedLevel middle(context, fold(groups));
    middle.startFrom(coarse);
    // Reserves time for the final proof, which takes about as long as everything before.
    double proofSeconds = context.clock.seconds();
    auto isOver = [&] { return context.isOver() || context.secondsLeft() < proofSeconds; };
    for (int round = 0; round < groupRounds && !isOver(); ++round) {
      middle.round();
      context.report(false);
      if (isPromising(middle))
        prove(middle);
    }
    if (!context.isGapReached())
      prove(middle);
    if (context.isGapReached())
      return middle.foldedPrices();
    // Now the prices and the solutions must differ between the layers of a group.
    whole->startFrom(middle);
    for (double gap = 1; context.gap() < maxGapRatio * gap && !isOver();) {
      gap = context.gap();
      whole->round();
      whole->settle();
      prove();
      context.report(false);
    }
    return whole->foldedPrices();
  }

private:
  std::unique_ptr<FoldedProblem> fold(const NodeClasses &classes) const {
    return std::make_unique<FoldedProblem>(problem, tables, classes, times);
  }

  /// Whether the groups reach the requested gap. The original problem cannot prove more than the
  /// groups.
  bool isPromising(const FoldedLevel &groups) const {
    return context.options.gap > 0 && context.incumbent.isKnown &&
           groups.bound() >= double(context.incumbent.cost) * (1 - context.options.gap);
  }

  /// Proves a bound of the original problem from the prices and messages of the groups.
  void prove(FoldedLevel &groups) {
    if (!whole)
      whole = std::make_unique<FoldedLevel>(context, fold(singletonClasses(problem)));
    groups.settle();
    whole->startFrom(groups);
    whole->settle();
    prove();
  }

  /// Proves a bound from the original problem's own prices and messages.
  void prove() {
    WholeDual dual = whole->roundedDual();
    if (!check(problem, dual).empty())
      return;
    if (Int128 bound = boundOf(whole->problem(), dual); bound > context.bound) {
      context.raiseBound(bound);
      context.certificate.whole = std::move(dual);
    }
  }

  SearchContext &context;
  const StrategyProblem &problem;
  EdgeTables tables;
  std::vector<int64_t> times; ///< times at which the limit can bind
  std::unique_ptr<FoldedLevel> whole;
};

} // namespace

FoldedPrices searchFolded(SearchContext &context) {
  if (context.problem.nodes.size() < minNodes || !isFoldable(context.problem))
    return {};
  return FoldedSearch(context).run();
}

} // namespace pcc::solve
