// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three levels of the folded search. The first level races the two step styles. The second
// improves prices and solutions in parallel; the third repeats this on the original problem. Bounds
// are always proved on the original problem. A proof takes long, so time for the last one is
// reserved.
#include "passes/solve/strategy/branch/BestSearch.h"

#include "passes/solve/strategy/bounds/OriginalBound.h"
#include "passes/solve/strategy/problem/Work.h"
#include "passes/solve/strategy/symmetry/FoldedProblem.h"
#include "passes/solve/strategy/symmetry/NodeClasses.h"

namespace pcc::solve {

// A folded problem with its prices and solutions.

namespace {

class FoldedLevel {
public:
  FoldedLevel(SearchContext &context, std::unique_ptr<FoldedProblem> folded);

  /// Continues from the prices and messages of a level with coarser classes.
  void startFrom(const FoldedLevel &coarse);

  /// Runs both step styles in parallel for some steps and keeps the better one.
  void race();

  /// Runs some steps of the prices in parallel with moves. Offers the best solution.
  void round();

  /// Recomputes the messages at the best prices.
  void settle();

  /// Returns the current prices and messages. Each class must have one node.
  OriginalDual roundedDual() const;

  /// Lower bound on the cost with these classes, up to floating-point errors.
  double bound() const { return prices->bound() + prices->constant; }

  FoldedPrices foldedPrices() const;

  const FoldedProblem &problem() const { return *folded; }

private:
  bool offer(const std::vector<int32_t> &options);
  double target() const;
  void startMoves();

  SearchContext &context;
  std::unique_ptr<FoldedProblem> folded;
  std::unique_ptr<PriceSearch> prices;
  std::unique_ptr<LocalSearch> moves;
  double guess = 0; ///< estimate of the best cost while no solution is known
  double boundAtStart = -std::numeric_limits<double>::infinity(); ///< bound when the moves started
  uint64_t starts = 0;
};

} // namespace

/// The step style is switched when a round closed less than this fraction of the gap.
static constexpr double minProgress = 0.06;

/// Moves restart when the bound rose by this fraction of the gap.
static constexpr double newStart = 1;

/// Steps for the comparison of two step styles, and steps per round.
static constexpr int raceSteps = 20, roundSteps = 8;

FoldedLevel::FoldedLevel(SearchContext &context, std::unique_ptr<FoldedProblem> given)
    : context(context), folded(std::move(given)),
      prices(std::make_unique<PriceSearch>(folded->flat, kSharpSteps, double(folded->constant))) {}

void FoldedLevel::startFrom(const FoldedLevel &coarse) {
  guess = coarse.guess;
  prices->style = coarse.prices->style;
  prices->resume(coarse.prices->prices());
  prices->messages.messages =
      carryMessages(*coarse.folded, coarse.prices->messages.messages, *folded);
}

void FoldedLevel::race() {
  // A problem without a limit costs about this much. The additional cost of the limit is not yet
  // known.
  MessagePassing unlimited(folded->flat);
  for (int i = 0; i < 4; ++i) {
    unlimited.sweepForward();
    guess = 2 * (unlimited.sweepBackward() + prices->constant);
  }
  auto rival = std::make_unique<PriceSearch>(folded->flat, kSmoothSteps, prices->constant);
  uint64_t entries = raceSteps * prices->messages.work();
  // The clock does not end a race that is shorter than reading the problem, so that the search has
  // a solution however short its time.
  Stop stop = context.stop();
  if (2 * entries <= workToReduce(context.problem))
    stop = [] { return false; };
  runTasks({[&] { prices->advance(entries, target(), stop); },
            [&] { rival->advance(entries, target(), stop); }},
           context.options.threads);
  context.spend(context.options.threads > 1 ? entries : 2 * entries);
  for (PriceSearch *one : {prices.get(), rival.get()})
    if (!one->decoded().empty())
      offer(one->decoded());
  if (rival->bound() > prices->bound())
    prices = std::move(rival);
  settle();
}

void FoldedLevel::round() {
  // Better prices lead to better solutions than a longer search with worse prices.
  double risen = prices->bound() - boundAtStart;
  if (!prices->decoded().empty() && risen > newStart * (target() - prices->bound()))
    startMoves();
  uint64_t entries = roundSteps * prices->messages.work();
  std::vector<std::function<void()>> tasks = {
      [&] { prices->advance(entries, target(), context.stop()); }};
  if (moves) {
    moves->setPrices(prices->prices());
    tasks.emplace_back([&] { moves->run(entries, context.stop()); });
  }
  runTasks(tasks, context.options.threads);
  context.spend(context.options.threads > 1 ? entries : 2 * entries);
  // When one step style stalls, the other style often makes progress.
  if (prices->progress() < minProgress * (target() - prices->bound()))
    prices->style = prices->style.isSmooth ? kSharpSteps : kSmoothSteps;
  if (moves && moves->best().isFeasible())
    offer(moves->best().options());
}

void FoldedLevel::settle() {
  std::vector<double> optionBounds;
  prices->settle(1, optionBounds);
}

OriginalDual FoldedLevel::roundedDual() const {
  return roundDual(*folded, prices->prices(), prices->messages.messages);
}

FoldedPrices FoldedLevel::foldedPrices() const {
  FoldedPrices result;
  result.style = prices->style;
  for (size_t s = 0; s < folded->times.size(); ++s)
    if (prices->prices()[s] > 0)
      result.prices.emplace_back(folded->times[s], prices->prices()[s]);
  return result;
}

bool FoldedLevel::offer(const std::vector<int32_t> &options) {
  return context.incumbent.offer(folded->unfold(options));
}

double FoldedLevel::target() const {
  return (context.incumbent.isKnown ? double(context.incumbent.cost) : guess) - prices->constant;
}

void FoldedLevel::startMoves() {
  boundAtStart = prices->bound();
  bool goesOn = starts == 0 && context.incumbent.isKnown;
  moves = std::make_unique<LocalSearch>(
      folded->flat, goesOn ? folded->fold(context.incumbent.solution) : prices->decoded(),
      context.options.seed + ++starts);
}

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
    auto isOver = [&] { return context.isOver() || !context.hasSeconds(proofSeconds); };
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
    original->startFrom(middle);
    for (double gap = 1; context.gap() < maxGapRatio * gap && !isOver();) {
      gap = context.gap();
      original->round();
      original->settle();
      prove();
      context.report(false);
    }
    return original->foldedPrices();
  }

private:
  std::unique_ptr<FoldedProblem> fold(const NodeClasses &classes) const {
    return std::make_unique<FoldedProblem>(problem, tables, classes, times);
  }

  /// Whether the groups reach the requested gap or the cutoff. The original problem cannot prove
  /// more than the groups.
  bool isPromising(const FoldedLevel &groups) const {
    const SolveOptions &options = context.options;
    bool reachesGap = options.gap > 0 && context.incumbent.isKnown &&
                      groups.bound() >= double(context.incumbent.cost) * (1 - options.gap);
    return reachesGap || (options.cutoff && groups.bound() >= double(*options.cutoff));
  }

  /// Proves a bound of the original problem from the prices and messages of the groups.
  void prove(FoldedLevel &groups) {
    if (!original)
      original = std::make_unique<FoldedLevel>(context, fold(singletonClasses(problem)));
    groups.settle();
    original->startFrom(groups);
    original->settle();
    prove();
  }

  /// Proves a bound from the original problem's own prices and messages.
  void prove() {
    OriginalDual dual = original->roundedDual();
    if (!check(problem, dual).empty())
      return;
    if (Int128 bound = boundOf(original->problem(), dual); bound > context.bound) {
      context.raiseBound(bound);
      context.certificate.original = std::move(dual);
    }
  }

  SearchContext &context;
  const StrategyProblem &problem;
  EdgeTables tables;
  std::vector<int64_t> times; ///< times at which the limit can bind
  std::unique_ptr<FoldedLevel> original;
};

} // namespace

FoldedPrices searchFolded(SearchContext &context) {
  if (context.problem.nodes.size() < minNodes || !isFoldable(context.problem))
    return {};
  return FoldedSearch(context).run();
}

} // namespace pcc::solve
