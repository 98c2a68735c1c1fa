// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Conflict.h"

#include "passes/solve/Workers.h"
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

/// Of a cost only whether it is forbidden.
static std::vector<int64_t> dropCosts(const std::vector<int64_t> &costs) {
  std::vector<int64_t> dropped;
  for (int64_t cost : costs)
    dropped.push_back(cost >= kForbidden ? kForbidden : 0);
  return dropped;
}

/// `nodes` of `problem` and the edges among them, without costs.
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
  StrategyProblem bare = problem;
  for (StrategyNode &node : bare.nodes)
    node.costs = dropCosts(node.costs);
  for (StrategyEdge &edge : bare.edges)
    edge.costs = dropCosts(edge.costs.list());
  auto isInfeasible = [&](const StrategyProblem &part) {
    SolveOptions options;
    options.seconds = std::max((seconds - clock.seconds()) / 4, 0.01);
    return solveByDynamicProgramming(part, options).status == SolveStatus::Infeasible;
  };
  NodeConflict conflict;
  bare.usageLimit = std::numeric_limits<int64_t>::max();
  if (!isInfeasible(bare)) {
    bare.usageLimit = problem.usageLimit;
    conflict.needsLimit = true;
    if (!isInfeasible(bare))
      return {};
  }
  conflict.nodes = findConflict(
      static_cast<int>(bare.nodes.size()),
      [&](const std::vector<int> &nodes) { return isInfeasible(makePart(bare, nodes)); },
      [&] { return clock.seconds() > seconds; });
  return conflict;
}

} // namespace pcc::solve
