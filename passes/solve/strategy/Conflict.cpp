// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deletion in halving steps: half of the set is tried first, single elements last. A test solves
// the problem without costs, so only forbidden choices and usage matter. Another test finds whether
// the limit is needed.
#include "passes/solve/strategy/Conflict.h"

#include "passes/solve/strategy/problem/Tasks.h"
#include <numeric>

namespace pcc::solve {

std::vector<int> findConflict(int count,
                              const std::function<bool(const std::vector<int> &)> &isInfeasible,
                              const std::function<bool()> &stop) {
  std::vector<int> left(count);
  std::iota(left.begin(), left.end(), 0);
  for (size_t piece = std::max<size_t>(left.size() / 2, 1); !stop(); piece /= 2) {
    for (size_t begin = 0; begin < left.size() && !stop();) {
      std::vector<int> rest = left;
      size_t end = std::min(begin + piece, left.size());
      rest.erase(rest.begin() + begin, rest.begin() + end);
      if (!rest.empty() && isInfeasible(rest))
        left = std::move(rest);
      else
        begin = end;
    }
    if (piece == 1)
      break;
  }
  return left;
}

/// Returns kForbidden for each forbidden cost and 0 for all others.
static std::vector<int64_t> dropCosts(const std::vector<int64_t> &costs) {
  std::vector<int64_t> dropped;
  for (int64_t cost : costs)
    dropped.push_back(cost >= kForbidden ? kForbidden : 0);
  return dropped;
}

static StrategyProblem dropCosts(const StrategyProblem &problem) {
  StrategyProblem bare = problem;
  for (StrategyNode &node : bare.nodes)
    node.costs = dropCosts(node.costs);
  std::erase_if(bare.edges, [](const StrategyEdge &edge) {
    return std::all_of(edge.costs.begin(), edge.costs.end(),
                       [](int64_t cost) { return cost < kForbidden; });
  });
  for (StrategyEdge &edge : bare.edges)
    edge.costs = dropCosts(edge.costs.list());
  return bare;
}

/// Whether a problem without costs is infeasible. The reductions leave few options in it, because
/// options differ only in usage.
static bool isBareInfeasible(const StrategyProblem &problem, double seconds) {
  SolveOptions options;
  options.seconds = std::max(seconds, 0.01);
  return solveByDynamicProgramming(problem, options).status == SolveStatus::Infeasible;
}

bool isInfeasible(const StrategyProblem &problem, double seconds) {
  return isBareInfeasible(dropCosts(problem), seconds);
}

/// Returns `nodes` of `problem` and the edges between them.
static StrategyProblem makePart(const StrategyProblem &problem, const std::vector<int> &nodes) {
  StrategyProblem part;
  part.usageLimit = problem.usageLimit;
  std::vector<int> place(problem.nodes.size(), -1);
  for (int node : nodes) {
    place[node] = static_cast<int>(part.nodes.size());
    part.nodes.push_back(problem.nodes[node]);
  }
  for (const StrategyEdge &edge : problem.edges)
    if (place[edge.u] >= 0 && place[edge.v] >= 0)
      part.edges.push_back({place[edge.u], place[edge.v], edge.costs});
  return part;
}

NodeConflict findNodeConflict(const StrategyProblem &problem, double seconds) {
  Stopwatch clock;
  StrategyProblem bare = dropCosts(problem);
  auto contradicts = [&](const StrategyProblem &part) {
    return isBareInfeasible(part, (seconds - clock.seconds()) / 4);
  };
  NodeConflict conflict;
  bare.usageLimit = std::numeric_limits<int64_t>::max();
  if (!contradicts(bare)) {
    bare.usageLimit = problem.usageLimit;
    conflict.needsLimit = true;
    if (!contradicts(bare))
      return {};
  }
  conflict.nodes = findConflict(
      static_cast<int>(bare.nodes.size()),
      [&](const std::vector<int> &nodes) { return contradicts(makePart(bare, nodes)); },
      [&] { return clock.seconds() > seconds; });
  return conflict;
}

} // namespace pcc::solve
