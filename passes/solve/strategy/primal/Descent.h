// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of local search on one solution. It starts from a decoding of prices and improves the
// solution by moves. Then it crosses the solution with the pool, one by one, with some moves after
// each gain. The final solution is offered to the pool.
//
//   start —moves→ local optimum —cross, moves→ better —cross, moves→ … → pool
#pragma once

#include "passes/solve/strategy/bounds/PriceSearch.h"
#include "passes/solve/strategy/primal/LocalSearch.h"
#include "passes/solve/strategy/primal/SolutionPool.h"
#include <memory>

namespace pcc::solve {

class Descent {
public:
  /// Starts from `start`, with these prices by segment.
  Descent(const FlatProblem &flat, std::vector<int32_t> start, const std::vector<double> &prices,
          uint64_t seed);

  /// Starts from the decoding of `probe` after some steps. `target` is the one of
  /// PriceSearch::advance.
  Descent(const FlatProblem &flat, std::unique_ptr<PriceSearch> probe, double target,
          uint64_t seed);

  /// Continues until `entries` more table entries were read, the run is done, or `stop` returns
  /// true. `pool` is the current solution pool.
  void run(uint64_t entries, const SolutionPool &pool, const Stop &stop);

  bool isDone() const { return phase == Phase::Done; }

  /// Returns the best solution so far; null before the start.
  const State *best() const { return search ? &search->best() : nullptr; }

private:
  enum class Phase { Probe, Climb, Cross, Polish, Done };

  uint64_t work() const { return probeWork + (search ? search->work() : 0); }
  void turn(const SolutionPool &pool, const Stop &stop);
  void probeOn(const Stop &stop);
  void crossNext(const SolutionPool &pool);

  const FlatProblem &flat;
  uint64_t seed;
  std::unique_ptr<PriceSearch> probe;
  double target = 0;
  uint64_t probeWork = 0;
  std::unique_ptr<LocalSearch> search;
  Phase phase = Phase::Climb;
  uint64_t phaseEnd = 0; ///< end of the phase Climb or Polish, in work
  std::vector<std::vector<int32_t>> partners;
  size_t nextPartner = 0;
  int laps = 0;
};

} // namespace pcc::solve
