// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improvement of a solution by forest moves, with kicks where they find nothing more.
#pragma once

#include "passes/solve/Forest.h"

namespace pcc::solve {

class LocalSearch {
public:
  LocalSearch(const Instance &instance, std::vector<int32_t> options, uint64_t seed);

  void setPrices(const std::vector<double> &prices) { forest.setPrices(prices); }

  /// Goes on from `options` if they are better than what is here.
  void offer(const std::vector<int32_t> &options);

  /// Searches until so many more table entries were looked at, or `stop` says so.
  template <typename Stop> void run(uint64_t entries, Stop stop) {
    for (uint64_t end = forest.work + entries; forest.work < end && !stop();)
      round();
  }

  const State &best() const { return bestState; }
  uint64_t work() const { return forest.work; }

private:
  void round();
  bool move(int root, int size);
  void kick();

  const Instance &instance;
  Forest forest;
  State state, bestState;
  Random random;
  std::vector<std::pair<int, int32_t>> changes;
  int sinceBetter = 0;
};

} // namespace pcc::solve
