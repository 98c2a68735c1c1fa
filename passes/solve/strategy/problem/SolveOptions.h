// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options and result of a search, shared by its phases.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include <functional>
#include <memory>
#include <optional>

namespace pcc::solve {

struct Certificate; // passes/solve/strategy/bounds/Certificate.h

/// Progress of a search.
struct SearchProgress {
  std::optional<Int128> cost; ///< cost of the best solution so far
  Int128 bound = 0;           ///< no solution costs less
  double gap = 1;             ///< (cost − bound) / cost, in [0, 1]; 1 without a solution
  double seconds = 0;         ///< since the search began
};

/// Options of a search. The same seed, number of threads and seconds give the same decisions in the
/// same order: a search counts its work, not the clock. A typical machine does the work in about
/// 85% of `seconds`. The clock only cuts the search off, at `seconds` times `slowdown`. A search
/// that is cut off returns its best result so far.
struct SolveOptions {
  double seconds = 60;
  double elapsed = 0;  ///< part of `seconds` spent before the call, for reading the problem
  double slowdown = 1; ///< factor by which the clock may exceed `seconds`, on a busy machine
  int threads = 2;
  uint64_t seed = 1;
  double gap = 0; ///< ends the search once (cost − bound) / cost is at most this
  /// Ends an anytime search once the bound is at least this: solutions that cost as much are not
  /// wanted.
  std::optional<Int128> cutoff = {};
  std::function<void(const SearchProgress &)> progress = {}; ///< called on the caller's thread
  std::optional<StrategySolution> initial = {}; ///< start of the search; ignored if infeasible
};

enum class SolveStatus {
  Optimal,    ///< `solution` costs `cost`, and no solution costs less
  Feasible,   ///< `solution` costs `cost`, and no solution costs less than `bound`
  Infeasible, ///< proved to have no solution
  Unknown,    ///< no solution found; `reason` says why the search ended
};

/// Returns `optimal`, `feasible`, `infeasible` or `unknown`.
const char *stringify(SolveStatus status);

struct SolveStatistics {
  double seconds = 0;
  size_t nodes = 0, edges = 0; ///< after the reductions
  size_t segments = 0;         ///< number of times at which the limit can bind
  uint64_t work = 0;           ///< table entries read
  bool isCutOff = false;       ///< by the clock: another run may give another result
};

struct SolveResult {
  SolveStatus status = SolveStatus::Unknown;
  StrategySolution solution = {}; ///< if Optimal or Feasible
  Int128 cost = 0;                ///< of `solution`
  Int128 bound = 0;
  std::shared_ptr<const Certificate> certificate = {}; ///< proof of `bound`; null if there is none
  std::string reason = {};                             ///< if Infeasible or Unknown
  SolveStatistics statistics = {};

  bool hasSolution() const {
    return status == SolveStatus::Optimal || status == SolveStatus::Feasible;
  }
};

} // namespace pcc::solve
