// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of solveBest, in the order of their turns:
//
//   Root   prices rise on one thread while the others improve and cross solutions; whenever the gap
//          is small enough to prune a good part of the options, the root becomes smaller
//   Tree   a root that became small is closed by branch and bound
//   Dive   solutions of a large one go on being crossed; when nothing more comes of that, the nodes
//          that decide most are fixed, one after the other, to the option whose bound is least
//
// Work is counted in table entries. Decisions depend on the count alone, so that the same seed and
// number of threads find the same; the clock only ends the search.
#pragma once

#include "passes/solve/Branch.h"
#include "passes/solve/Descent.h"
#include "passes/solve/Incumbent.h"
#include "passes/solve/Solve.h"
#include "passes/solve/Workers.h"

namespace pcc::solve {

/// A move takes for an entry as long as messages for so many: it hops from node to node.
inline constexpr uint64_t kMoveWeight = 2;

/// What all parts share.
class SearchContext {
public:
  SearchContext(const StrategyProblem &problem, const SolveOptions &options);

  /// All that is still looked for costs less than this, in the core's units.
  Int128 cutoff() const;

  bool isOver() const;

  /// (cost − bound) / cost of the best solution; 1 without one.
  double gap() const;

  /// Whether the gap is as small as was asked for.
  bool isGapReached() const { return options.gap > 0 && gap() <= options.gap; }

  /// Whether there is time to make a branch anew; cut off on the way, nothing could be done with
  /// it.
  bool mayRebuild() const;
  Stop stop() const;

  /// By the clock, less what the end takes.
  double secondsLeft() const;

  /// Counts what reading and reducing the problem takes.
  void spendOnCore();

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
  uint64_t certificateFigures = 0;
  double buildSeconds = 0; ///< that the first branch took to be made

private:
  double lastReport = -1;
};

/// Prices and solutions of one branch, side by side.
class Team {
public:
  /// `elites` are of the branch.
  Team(SearchContext &context, Branch &branch, uint64_t seed, Elites elites = {});

  /// Table entries of one turn of epoch().
  uint64_t quantum() const;

  /// Raises prices on one thread, if `withPrices`, and improves solutions on the others.
  void epoch(bool withPrices);

  /// Which style of steps suits the branch: both try.
  void raceStyles();

  /// Makes the branch smaller if at least `share` of the options can go; `certify` hangs the stage
  /// into the certificate. Does nothing while the gap and the share are about those of the last
  /// time.
  void shrink(double share, bool certify);

  /// The same, whatever it brings: what the branch proves is worth a stage.
  void certify();

  /// To be called before the branch is made anew, and after.
  void keepSolutions();
  void restart();

  /// Takes in a solution of the branch.
  void adopt(std::vector<int32_t> options);

  /// Nothing moved for long: neither prices nor solutions.
  bool isStalled() const { return quiet >= 12; }
  bool isQuiet() const { return quiet >= 5; }

  /// Many descents led to nothing better.
  bool isSettled() const { return idleDescents >= 16; }

  Elites elites;

private:
  std::unique_ptr<Descent> begin();
  void collect();
  void offer(const Descent *descent);
  void makeAnew(CertificateStage stage, bool certify);
  double gap() const;

  SearchContext &context;
  Branch &branch;
  uint64_t seed;
  std::vector<std::unique_ptr<Descent>> descents;
  uint64_t born = 0;
  int idleDescents = 0; ///< ended since the best solution was found
  int quiet = 0;        ///< epochs since something moved
  double lastBound = 0;
  double gapAtShrink = std::numeric_limits<double>::infinity(), shareAtShrink = 1; ///< last tried
};

/// The `count` nodes with the most neighbours, most first.
std::vector<int> findHubs(const Instance &instance, size_t count);

/// Branch and bound over a branch until it is closed or the work is done. Returns the bound.
Int128 searchTree(SearchContext &context, std::unique_ptr<Branch> root);
bool isTreeAffordable(const SearchContext &context, const Branch &root);

/// Crosses and improves solutions, fixing deciding nodes on the way, until the work is done.
void dive(SearchContext &context, const Branch &root, Elites elites);

} // namespace pcc::solve
