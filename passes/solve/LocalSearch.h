// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improvement of a solution by moves of forests and regions, with kicks where they find nothing
// more.
#pragma once

#include "passes/solve/Forest.h"
#include "passes/solve/Region.h"

namespace pcc::solve {

class LocalSearch {
public:
  LocalSearch(const Instance &instance, std::vector<int32_t> options, uint64_t seed);

  void setPrices(const std::vector<double> &prices) { forest.setPrices(prices); }

  /// Goes on from `options` if they are better than what is here.
  void offer(const std::vector<int32_t> &options);

  /// Searches until so many more table entries were looked at, or `stop` says so.
  template <typename Stop> void run(uint64_t entries, Stop stop) {
    for (uint64_t end = work() + entries; work() < end && !stop();)
      round();
  }

  const State &best() const { return bestState; }
  uint64_t work() const { return forest.work + region.work; }

  /// Table entries looked at since the last better solution.
  uint64_t idleWork() const { return work() - workAtBest; }

private:
  void round();
  bool move(int root, int size);
  void kick();
  void turn(int root, int size);
  void polish(const State &before, const std::vector<int> &around, int moves);

  const Instance &instance;
  Forest forest;
  Region region;
  State state, bestState;
  Random random;
  std::vector<std::pair<int, int32_t>> changes;
  int sinceBetter = 0;
  uint64_t workAtBest = 0;
};

} // namespace pcc::solve
