// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Improvement of a solution by forest and block moves. When they stall, a kick changes a node at
// random.
#pragma once

#include "passes/solve/strategy/primal/Block.h"
#include "passes/solve/strategy/primal/Forest.h"

namespace pcc::solve {

class LocalSearch {
public:
  LocalSearch(const FlatProblem &flat, std::vector<int32_t> options, uint64_t seed);

  void setPrices(const std::vector<double> &prices) { forest.setPrices(prices); }

  /// Continues from `options` if they are better than the best solution so far.
  void offer(const std::vector<int32_t> &options);

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

} // namespace pcc::solve
