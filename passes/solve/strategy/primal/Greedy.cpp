// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the nodes, each next to the options of its earlier neighbors. The limit is only
// checked at the end; then the options with the lowest usage are the second attempt.
#include "passes/solve/strategy/primal/Improve.h"

#include <algorithm>
#include <tuple>

namespace pcc::solve {
namespace {

/// Returns for each node its edges to earlier nodes.
std::vector<std::vector<const StrategyEdge *>> listEdgesBefore(const StrategyProblem &problem) {
  std::vector<std::vector<const StrategyEdge *>> edges(problem.nodes.size());
  for (const StrategyEdge &edge : problem.edges)
    edges[std::max(edge.u, edge.v)].push_back(&edge);
  return edges;
}

/// Adds the costs of an edge to the options of its later node, for the option of its earlier node.
void addCosts(const StrategyProblem &problem, const StrategyEdge &edge,
              const StrategySolution &solution, std::vector<Int128> &costs) {
  size_t width = problem.nodes[edge.v].size();
  for (size_t option = 0; option < costs.size(); ++option)
    costs[option] += edge.u < edge.v ? edge.costs[solution[edge.u] * width + option]
                                     : edge.costs[option * width + solution[edge.v]];
}

StrategySolution takeCheapest(const StrategyProblem &problem) {
  StrategySolution solution;
  for (const auto &edges : listEdgesBefore(problem)) {
    const std::vector<int64_t> &own = problem.nodes[solution.size()].costs;
    std::vector<Int128> costs(own.begin(), own.end());
    for (const StrategyEdge *edge : edges)
      addCosts(problem, *edge, solution, costs);
    auto least = std::min_element(costs.begin(), costs.end());
    solution.push_back(static_cast<int32_t>(least - costs.begin()));
  }
  return solution;
}

/// Takes the options with the lowest usage among those that are not forbidden; ties go to the lower
/// cost.
StrategySolution takeSmallest(const StrategyProblem &problem) {
  StrategySolution solution;
  for (const StrategyNode &node : problem.nodes) {
    auto rank = [&](int32_t option) {
      return std::tuple(node.costs[option] >= kForbidden, node.usages[option], node.costs[option]);
    };
    int32_t best = 0;
    for (int32_t option = 1; option < static_cast<int32_t>(node.size()); ++option)
      if (rank(option) < rank(best))
        best = option;
    solution.push_back(best);
  }
  return solution;
}

} // namespace

std::optional<StrategySolution> solveGreedily(const StrategyProblem &problem) {
  for (auto take : {takeCheapest, takeSmallest})
    if (StrategySolution solution = take(problem); verify(problem, solution).ok())
      return solution;
  return std::nullopt;
}

} // namespace pcc::solve
