// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms over StrategyProblem. Each is a free function; each solution that one returns has
// passed `verify` on the problem that was given.
//
//   solveByDynamicProgramming   exact; hands over to the next where its tables would be too large
//   solveBest                   anytime, with a bound and a certificate; exact on small problems
#pragma once

#include "passes/solve/StrategyProblem.h"
#include <functional>
#include <memory>
#include <optional>

namespace pcc::solve {

struct Certificate; // passes/solve/Certificate.h

/// How far a search is.
struct SearchProgress {
  std::optional<Int128> cost; ///< of the best solution so far
  Int128 bound = 0;           ///< no solution costs less
  double gap = 1;             ///< (cost − bound) / cost, in [0, 1]; 1 without a solution
  double seconds = 0;         ///< since the search began
};

/// The same seed, number of threads and seconds take the same decisions in the same order: a search
/// counts its work, not the clock, and does what a usual machine does in about 85 % of `seconds`.
/// The clock only cuts it off: at `seconds`, or later with a `slowdown` (of a busy machine, say).
/// Cut off, the result is the best so far on the same way.
struct SolveOptions {
  double seconds = 60;
  double elapsed = 0;  ///< of `seconds`, what went by before the call: for reading the problem
  double slowdown = 1; ///< the clock may take this many times as long as the work should
  int threads = 2;
  uint64_t seed = 1;
  double gap = 0; ///< ends as soon as (cost − bound) / cost is no more
  std::function<void(const SearchProgress &)> progress = {}; ///< called on the caller's thread
  std::optional<StrategySolution> initial = {}; ///< to start from; ignored if it does not fit
};

enum class SolveStatus {
  Optimal,    ///< `solution` costs `cost`, and nothing costs less
  Feasible,   ///< `solution` costs `cost`, and nothing costs less than `bound`
  Infeasible, ///< there is none: proved
  Unknown,    ///< none was found; `reason` says why the search ended
};

/// `optimal`, `feasible`, `infeasible`, `unknown`.
const char *stringify(SolveStatus status);

struct SolveStatistics {
  double seconds = 0;
  size_t nodes = 0, edges = 0; ///< left after the reductions
  size_t segments = 0;         ///< stretches of time at which the limit can bind
  uint64_t work = 0;           ///< table entries looked at
  bool isCutOff = false;       ///< by the clock: another run may find more or less
};

struct SolveResult {
  SolveStatus status = SolveStatus::Unknown;
  StrategySolution solution = {}; ///< of Optimal and Feasible
  Int128 cost = 0;                ///< of `solution`
  Int128 bound = 0;
  std::shared_ptr<const Certificate> certificate = {}; ///< of `bound`; absent where none was made
  std::string reason = {};                             ///< why Infeasible or Unknown
  SolveStatistics statistics = {};

  bool hasSolution() const {
    return status == SolveStatus::Optimal || status == SolveStatus::Feasible;
  }
};

/// Bucket elimination (Dechter, Bucket elimination: a unifying framework for reasoning, 1999) with
/// Pareto-optimal pairs of cost and use where the limit can bind. Exact; where the tables would
/// not fit into the budget or the time, solveBest takes over, and the reason says so.
SolveResult solveByDynamicProgramming(const StrategyProblem &problem,
                                      const SolveOptions &options = {});

/// Reductions, bounds by message passing, decoding and improvement by exact moves
/// (docs/spec/search.md).
SolveResult solveBest(const StrategyProblem &problem, const SolveOptions &options = {});

} // namespace pcc::solve
