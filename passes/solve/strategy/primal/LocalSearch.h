// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improvement of a solution by forest and block moves. When they stall, a kick changes a node at
// random.
#pragma once

#include "passes/solve/strategy/bounds/PriceSearch.h"
#include "passes/solve/strategy/primal/Moves.h"
#include "passes/solve/strategy/primal/SolutionPool.h"
#include <memory>

namespace pcc::solve {

class LocalSearch {
public:
  LocalSearch(const FlatProblem &flat, std::vector<int32_t> options, uint64_t seed);

  void setPrices(const std::vector<double> &prices) { forest.setPrices(prices); }

  /// Searches until `entries` more table entries were read, or `stop` returns true.
  template <typename Stop> void run(uint64_t entries, Stop stop) {
    for (uint64_t end = work() + entries; work() < end && !stop();)
      round();
  }

  /// Optimizes the nodes in which the best solution and `partner` differ. Returns whether that
  /// improved it.
  bool cross(const std::vector<int32_t> &partner);

  const State &best() const { return bestState; }
  uint64_t work() const { return forest.work + block.work() + otherWork; }

private:
  void round();
  bool move(int root, int size);
  void kick();
  void moveBlock(int root, int size);
  bool choose(double factor, int attempts, bool isThorough);
  void polish(const State &before, const std::vector<int> &around, int moves);
  void keepBest();

  const FlatProblem &flat;
  Forest forest;
  Block block;
  State state, bestState;
  Random random;
  std::vector<std::pair<int, int32_t>> changes;
  int sinceBetter = 0;
  uint64_t otherWork = 0;
};

/// One run of local search on one solution. It starts from a decoding of prices and improves the
/// solution by moves. Then it crosses it with each solution of the pool in turn, with some moves
/// after each gain. The caller offers the final solution to the pool.
///
///   start —moves→ local optimum —cross, moves→ better —cross, moves→ … → pool
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
