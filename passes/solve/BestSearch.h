// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of solveBest, in the order of their turns:
//
//   Root   prices rise on one thread while the others improve solutions; whenever the gap is small
//          enough to prune a good part of the options, the root becomes smaller
//   Tree   a root that became small is closed by branch and bound
//   Dive   of a large one, the nodes that decide most are fixed, one after the other, to the option
//          whose bound is least; solutions are improved in what is left
//
// Work is counted in table entries. Decisions depend on the count alone, so that the same seed and
// number of threads find the same; the clock only ends the search.
#pragma once

#include "passes/solve/Branch.h"
#include "passes/solve/Incumbent.h"
#include "passes/solve/LocalSearch.h"
#include "passes/solve/Solve.h"
#include "passes/solve/Workers.h"

namespace pcc::solve {

/// What all parts share.
class SearchContext {
public:
  SearchContext(const StrategyProblem &problem, const SolveOptions &options);

  /// All that is still looked for costs less than this, in the core's units.
  Int128 cutoff() const;

  bool isOver() const;

  /// Whether there is time to make a branch anew: that cannot be cut off.
  bool mayRebuild() const;
  std::function<bool()> stop() const;

  /// Counts entries as looked at by each thread.
  void spend(uint64_t entries) { work += entries; }
  uint64_t left() const { return workLimit > work ? workLimit - work : 0; }

  /// Expands and verifies a solution of a branch.
  bool offer(const Branch &branch, const std::vector<int32_t> &options);

  /// Notes a bound of the whole problem, in the core's units.
  void raise(Int128 to) { bound = std::max(bound, to); }

  /// Appends a stage of `branch` to the certificate, below its last one.
  void hang(Branch &branch, CertificateStage stage);

  void report(bool always);

  const StrategyProblem &problem;
  SolveOptions options;
  Stopwatch clock;
  Incumbent incumbent;
  Certificate certificate;
  Int128 worst = 0; ///< more than any solution costs, in the core's units
  Int128 bound = 0; ///< proved, in the core's units
  int shift = 0;    ///< of the core
  uint64_t work = 0, workLimit = 0;
  double buildSeconds = 0; ///< that the first branch took to be made

private:
  double lastReport = -1;
};

/// Prices and solutions of one branch, side by side.
class Team {
public:
  Team(SearchContext &context, Branch &branch, uint64_t seed);

  /// Table entries of one turn of epoch().
  uint64_t quantum() const;

  /// Raises prices on one thread and improves solutions on the others. Returns whether there is
  /// something left that moves.
  void epoch(bool withPrices);

  /// Which style of steps suits the branch: both try.
  void raceStyles();

  /// Makes the branch smaller if at least `share` of the options can go; `certify` hangs the stage
  /// into the certificate. Returns whether it did.
  bool shrink(double share, bool certify);

  /// The best solution on the branch, to be kept before the branch is made anew.
  void keepBest();

  /// After the branch was made anew.
  void restart();

  bool isStalled() const { return quiet >= 12; }
  bool isQuiet() const { return quiet >= 5; }

private:
  void offerAll();
  std::vector<int32_t> decodeWithHub();
  void startAnew(std::unique_ptr<LocalSearch> &search, bool pricesMoved);

  SearchContext &context;
  Branch &branch;
  uint64_t seed;
  std::vector<std::unique_ptr<LocalSearch>> searches;
  std::vector<int32_t> start; ///< of new searches; empty: what prices decode to
  double startCost = 2.0 * double(kFar);
  int quiet = 0; ///< epochs since something moved
  uint64_t restarts = 0;
  double lastBound = 0, boundAtStart = -std::numeric_limits<double>::infinity();
};

/// Branch and bound over a branch until it is closed or the work is done. Returns the bound.
Int128 searchTree(SearchContext &context, std::unique_ptr<Branch> root);
bool isTreeAffordable(const SearchContext &context, const Branch &root);

/// Fixes deciding nodes and improves solutions, until the work is done.
void dive(SearchContext &context, const Branch &root);

} // namespace pcc::solve
