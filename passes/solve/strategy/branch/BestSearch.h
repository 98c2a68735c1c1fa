// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of solveBest:
//
//   Folded   A problem with repeated layers is searched first in smaller forms (searchFolded).
//   Root     One thread raises the bound by moving the prices. The others improve and combine
//            solutions. When the gap is small enough to prune many options, the root is reduced.
//   Tree     Branch and bound closes a root that became small.
//   Dive     For a large root instead, solutions are combined further. When that brings no more
//            progress, the most decisive nodes are fixed one by one to the option with the lowest
//            bound.
//
// A price is a Lagrange multiplier of the usage limit (PriceSearch.h). Work is counted in table
// entries. Decisions depend on this count, so the same seed and number of threads give the same
// result. The clock only skips what there is no time for, and ends the search; the result then says
// that it is cut off.
#pragma once

#include "passes/solve/strategy/bounds/Certificate.h"
#include "passes/solve/strategy/bounds/PriceSearch.h"
#include "passes/solve/strategy/primal/LocalSearch.h"
#include "passes/solve/strategy/problem/Incumbent.h"
#include "passes/solve/strategy/problem/SolveOptions.h"
#include "passes/solve/strategy/problem/Tasks.h"
#include <memory>
#include <optional>

namespace pcc::solve {

// A subproblem of the search, with its prices and bounds.
//
//   core → flat problem → prices → bounds of options → prune → smaller core → …
//
//   core           the problem during reductions: what is still to be chosen (Core.h)
//   segment        a time that stands for the times around it at which the limit can bind
//   flat problem   the core in arrays, for the price search (FlatProblem.h)
//
// Each iteration of this loop is a proof step of the certificate (CertificateStage). A good
// solution allows pruning, and pruning makes the core so small that better solutions are easy to
// find. For whole training graphs often a tenth of the table entries remains.

/// Prices by time. They can be transferred to another set of segments.
using TimedPrices = std::vector<std::pair<int64_t, double>>;

class Branch {
public:
  /// Reduces `core`. Afterwards isClosed(), isSolved() or isOpen() holds, unless `stop` ended the
  /// reductions.
  Branch(Core core, const TimedPrices &prices, StepStyle style, Int128 bound, const Stop &stop);

  /// Whether the branch has no solution below the cutoff.
  bool isClosed() const { return core.isContradictory(); }

  /// Whether the reductions left nothing to choose.
  bool isSolved() const { return !isClosed() && core.isEmpty(); }
  bool isOpen() const { return flat != nullptr || sleepingPrices; }

  /// Passes messages in `sweeps` more sweeps at the best prices, and sets `optionBounds` from them
  /// (PriceSearch::settle). Returns the number of options that can be pruned at `cutoff`.
  size_t settle(int sweeps, Int128 cutoff);

  /// Prunes the core by exact integer bounds. Returns the proof step of the certificate for it.
  /// The flat problem is not changed.
  CertificateStage pruneExactly(Int128 cutoff);

  /// Reduces the pruned core again and continues from the same prices.
  void reduceAgain(const Stop &stop);

  /// Release and rebuild everything that follows from the core, to save memory in waiting branches.
  void sleep();
  void wake();

  TimedPrices timedPrices() const;

  /// Converts a cost to the flat problem's scale, which excludes the core's constant.
  double withoutConstant(Int128 cost) const { return double(cost - core.constant); }

  Core core;
  std::vector<Segment> segments;
  std::unique_ptr<FlatProblem> flat;
  std::unique_ptr<PriceSearch> prices;
  std::vector<double> optionBounds; ///< from the last settle(), without the core's constant
  ExactBounds exact;                ///< from the last pruning
  Int128 bound = 0;                 ///< proved for all solutions of the branch below the cutoff
  StepStyle style;
  int parentStage = -1, childIndex = 0; ///< position of its first proof step in the certificate

private:
  void makeFlatProblem(const std::vector<double> &startPrices);
  void start(const TimedPrices &prices, const Stop &stop);

  std::optional<std::vector<double>> sleepingPrices; ///< of a sleeping branch, by segment
};

/// Time to read a table entry in a move, relative to message passing. Moves jump from node to node,
/// so their reads are not sequential.
inline constexpr uint64_t kMoveWeight = 2;

/// State that all phases share.
class SearchContext {
public:
  SearchContext(const StrategyProblem &problem, const SolveOptions &options);

  /// Exclusive upper bound on the cost of solutions worth finding, in the core's units.
  Int128 cutoff() const;

  bool isOver() const;

  /// (cost − bound) / cost of the best solution; 1 without a solution.
  double gap() const;

  /// Whether the gap has reached the requested one.
  bool isGapReached() const { return options.gap > 0 && gap() <= options.gap; }

  /// Whether the bound proves that no solution costs less than `options.cutoff`.
  bool reachesCutoff() const { return options.cutoff && (bound << shift) >= *options.cutoff; }

  /// Whether there is time to rebuild a branch. A rebuild that is cut off is useless.
  bool mayRebuild() const { return hasSeconds(0.5 * buildSeconds); }
  /// Whether these seconds are left. If not, the search is cut off.
  bool hasSeconds(double seconds) const;
  /// Whether the clock has changed what the search does: another run may give another result.
  bool isCutOff() const { return lackedTime || stop()(); }
  Stop stop() const;

  /// Seconds left by the clock, less the time to write the certificate.
  double secondsLeft() const;

  /// Counts the work of reading and reducing the problem.
  void spendOnCore();

  /// Counts entries that each thread has read.
  void spend(uint64_t entries) { work += entries; }
  uint64_t left() const { return workLimit > work ? workLimit - work : 0; }

  /// Expands and verifies a solution of a branch, and offers it to the incumbent.
  bool offer(const Branch &branch, const std::vector<int32_t> &solution);

  /// Raises the proved bound of the whole problem, in the core's units.
  void raiseBound(Int128 to) { bound = std::max(bound, to); }

  /// Appends a proof step of `branch` to the certificate, below the branch's last one.
  void appendStage(Branch &branch, CertificateStage stage);

  void report(bool always);

  const StrategyProblem &problem;
  SolveOptions options;
  Stopwatch clock;
  Incumbent incumbent;
  Certificate certificate;
  Int128 costCeiling = 0; ///< greater than the cost of any solution, in the core's units
  Int128 bound = 0;       ///< proved, in the core's units
  int shift = 0;          ///< right shift of the core's costs (Core::shift)
  uint64_t work = 0, workLimit = 0;
  uint64_t certificateNumbers = 0;
  double buildSeconds = 0; ///< time to build the first branch

private:
  mutable bool lackedTime = false;
  double lastReport = -1;
};

/// Improves the prices and the solutions of one branch in parallel.
class BranchImprover {
public:
  /// `pool` are solutions of `branch`.
  BranchImprover(SearchContext &context, Branch &branch, uint64_t seed, SolutionPool pool = {});

  /// Table entries per task in one call of epoch().
  uint64_t quantum() const;

  /// Improves the prices on one thread if `withPrices`, and solutions on the other threads.
  void epoch(bool withPrices);

  /// Runs both step styles for a short time and keeps the better one.
  void raceStyles();

  /// Reduces the branch if at least `share` of the options can be pruned. `certify` appends the
  /// proof step to the certificate. Does nothing unless the gap shrank or `share` is smaller than
  /// in the last call.
  void shrink(double share, bool certify);

  /// Prunes unconditionally and appends a proof step, to record the bound of the branch.
  void certify();

  /// Must be called before and after a rebuild of the branch.
  void keepSolutions();
  void restart();

  /// Adds a solution of the branch to the solution pool.
  void adopt(std::vector<int32_t> options);

  /// Whether neither prices nor solutions improved for many epochs.
  bool isStalled() const { return quiet >= 12; }
  bool isQuiet() const { return quiet >= 5; }

  /// Whether many descents ended without a better solution.
  bool isSettled() const { return idleDescents >= 16; }

  SolutionPool pool;

private:
  std::unique_ptr<Descent> begin();
  void collect();
  void offer(const Descent *descent);
  void rebuild(CertificateStage stage, bool certify);
  double gap() const;

  SearchContext &context;
  Branch &branch;
  uint64_t seed;
  std::vector<std::unique_ptr<Descent>> descents;
  uint64_t numDescents = 0;
  int idleDescents = 0; ///< descents that ended since the best solution was found
  int quiet = 0;        ///< epochs without improvement
  double lastBound = 0;
  double gapAtShrink = std::numeric_limits<double>::infinity(), shareAtShrink = 1; ///< last tried
};

/// Returns the `count` nodes with the most neighbors among those with several options, in
/// descending order.
std::vector<int> findHubs(const FlatProblem &flat, size_t count);

/// Runs branch and bound until the branch is closed or the work is spent. Returns the bound.
Int128 searchTree(SearchContext &context, std::unique_ptr<Branch> root);
bool isTreeAffordable(const SearchContext &context, const Branch &root);

/// Combines and improves solutions until the work is spent, and fixes decisive nodes on the way.
void dive(SearchContext &context, const Branch &root, SolutionPool pool);

// Search of problems with repeated layers, by folding in three levels:
//
//   alike    All similar nodes have the same option. Prices and messages are found here; a step
//            takes a hundredth of the time.
//   groups   Similar nodes of a group of layers have the same option. Groups may have different
//            ones, which fills the memory limit better; solutions are improved here.
//   whole    Each node has its own option. Message passing improves the bound, which is proved.
//
// Each level starts from the prices, messages and solutions of the previous level.

/// Final prices and step style of the folded search, for the next search.
struct FoldedPrices {
  TimedPrices prices; ///< empty if nothing is repeated
  StepStyle style = kSharpSteps;
};

/// Searches a problem that repeats itself. Offers solutions and raises the bound until the
/// requested gap is reached or there is no more progress. Costs are in the problem's units, because
/// the context has no core yet.
FoldedPrices searchFolded(SearchContext &context);

} // namespace pcc::solve
