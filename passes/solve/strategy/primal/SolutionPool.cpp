// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of at most ten solutions that differ pairwise in more than 1/250 of the nodes. An offer is
// compared with all of them. In a full pool it replaces the nearest of the costlier solutions.
#include "passes/solve/strategy/primal/SolutionPool.h"

namespace pcc::solve {

static constexpr size_t maxSize = 10;

/// Two solutions are distinct if they differ in more than this fraction of the nodes.
static constexpr double minDistance = 1.0 / 250;

std::vector<int> differences(const std::vector<int32_t> &a, const std::vector<int32_t> &b) {
  std::vector<int> nodes;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      nodes.push_back(static_cast<int>(i));
  return nodes;
}

static double costIfFeasible(const State &state) {
  return state.isFeasible() ? state.cost() : 2.0 * double(kHugeCost);
}

void SolutionPool::offer(const State &state) {
  PooledSolution offered{state.options(), costIfFeasible(state)};
  size_t nearest = std::numeric_limits<size_t>::max();
  PooledSolution *costlier = nullptr;
  for (PooledSolution &pooled : list) {
    size_t distance = differences(pooled.options, offered.options).size();
    if (double(distance) <= minDistance * double(offered.options.size())) {
      if (offered.cost < pooled.cost)
        pooled = std::move(offered);
      return;
    }
    if (pooled.cost > offered.cost && distance < nearest) {
      nearest = distance;
      costlier = &pooled;
    }
  }
  if (list.size() < maxSize)
    list.push_back(std::move(offered));
  else if (costlier)
    *costlier = std::move(offered);
}

void SolutionPool::project(const Core &core, const FlatProblem &flat) {
  for (PooledSolution &pooled : list) {
    State state(flat, core.project(std::move(pooled.options)));
    pooled = {state.options(), costIfFeasible(state)};
  }
}

} // namespace pcc::solve
