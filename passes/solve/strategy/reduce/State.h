// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice for every node of a flat problem. Cost and usage are updated incrementally. Changes of
// several nodes can be evaluated and undone.
#pragma once

#include "passes/solve/strategy/reduce/FlatProblem.h"

namespace pcc::solve {

/// Returns the usage of each segment.
std::vector<int64_t> useOf(const FlatProblem &flat, const std::vector<int32_t> &options);

/// Returns the cost; at least kHugeCost if something is forbidden.
double costOf(const FlatProblem &flat, const std::vector<int32_t> &options);

class State {
public:
  State(const FlatProblem &flat, std::vector<int32_t> options);

  int32_t operator[](int node) const { return chosen[node]; }
  const std::vector<int32_t> &options() const { return chosen; }
  double cost() const { return total; }
  const std::vector<int64_t> &used() const { return use; }

  /// Sum over all segments of the usage above the capacity.
  double overuse() const { return excess; }
  bool isFeasible() const { return excess == 0 && total < double(kHugeCost) / 2; }

  /// Gives the nodes their new options unconditionally. `undo` reverts the last change.
  void change(const std::vector<std::pair<int, int32_t>> &changes);
  void undo();

  /// Table entries that the last change read.
  uint64_t work() const { return lastWork; }

private:
  void changeCost(int node, int32_t option);

  const FlatProblem *flat;
  std::vector<int32_t> chosen;
  std::vector<int64_t> use, difference;
  double total = 0, excess = 0;

  std::vector<std::pair<int, int32_t>> undoing;
  double undoTotal = 0, undoExcess = 0;
  int low = 0, high = 0;  ///< segments of the last change
  bool isRounded = false; ///< the last change touched a forbidden entry
  uint64_t lastWork = 0;
};

} // namespace pcc::solve
