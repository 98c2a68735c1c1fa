// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/symmetry/FoldedLevel.h"

#include "passes/solve/strategy/symmetry/FoldedMessages.h"

namespace pcc::solve {

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
  runTasks({[&] { prices->advance(entries, target(), context.stop()); },
            [&] { rival->advance(entries, target(), context.stop()); }},
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

WholeDual FoldedLevel::roundedDual() const {
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

} // namespace pcc::solve
