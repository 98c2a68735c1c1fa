// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks a forest by union-find: a node joins if its neighbors in the forest lie in different trees.
// Nodes left out come first in the next round. Costs are exact 128-bit sums. The usage limit plays
// no part in the choice; a result that violates it is dropped.
#include "passes/solve/strategy/primal/Improve.h"

#include <algorithm>
#include <numeric>

namespace pcc::solve {
namespace {

/// An edge at one of its two nodes.
struct End {
  int edge, other;
  bool isFirst; ///< the node's options are the rows
};

/// A node of a tree, listed after its parent.
struct Visit {
  int node, parent;                  ///< −1 for a root
  std::vector<int32_t> choices = {}; ///< for each option of the parent, the best own option
};

class Improver {
public:
  Improver(const StrategyProblem &problem, StrategySolution initial)
      : problem(problem), solution(std::move(initial)), ends(problem.nodes.size()),
        order(problem.nodes.size()) {
    for (int index = 0; index < static_cast<int>(problem.edges.size()); ++index) {
      const StrategyEdge &edge = problem.edges[index];
      ends[edge.u].push_back({index, edge.v, true});
      ends[edge.v].push_back({index, edge.u, false});
    }
    std::iota(order.begin(), order.end(), 0);
    cost = verify(problem, solution).cost;
  }

  StrategySolution run(int rounds) {
    int vain = 0;
    for (int round = 0; round < rounds && vain < 2; ++round) {
      pickForest();
      StrategySolution better = solveForest();
      Verdict verdict = verify(problem, better);
      if (verdict.ok() && verdict.cost < cost) {
        solution = std::move(better);
        cost = verdict.cost;
        vain = 0;
      } else {
        ++vain;
      }
    }
    return std::move(solution);
  }

private:
  int findTree(int node) {
    while (trees[node] != node)
      node = trees[node] = trees[trees[node]];
    return node;
  }

  /// Whether all neighbors of `node` in the forest are in different trees.
  bool staysForest(int node) {
    std::vector<int> neighbors, met;
    for (const End &end : ends[node])
      if (isIn[end.other] &&
          std::find(neighbors.begin(), neighbors.end(), end.other) == neighbors.end()) {
        neighbors.push_back(end.other);
        met.push_back(findTree(end.other));
      }
    std::sort(met.begin(), met.end());
    return std::adjacent_find(met.begin(), met.end()) == met.end();
  }

  /// Adds nodes in `order`. Nodes that are left out come first in the next round.
  void pickForest() {
    size_t count = problem.nodes.size();
    trees.resize(count);
    std::iota(trees.begin(), trees.end(), 0);
    isIn.assign(count, false);
    for (int node : order) {
      if (!staysForest(node))
        continue;
      isIn[node] = true;
      for (const End &end : ends[node])
        if (isIn[end.other])
          trees[findTree(end.other)] = node;
    }
    std::stable_partition(order.begin(), order.end(), [&](int node) { return !isIn[node]; });
  }

  /// Returns all nodes of the forest, each after its parent.
  std::vector<Visit> listVisits() const {
    std::vector<Visit> visits;
    std::vector<bool> isSeen(problem.nodes.size(), false);
    for (int root = 0; root < static_cast<int>(problem.nodes.size()); ++root) {
      if (!isIn[root] || isSeen[root])
        continue;
      size_t next = visits.size();
      visits.push_back({root, -1});
      isSeen[root] = true;
      for (; next < visits.size(); ++next)
        for (const End &end : ends[visits[next].node])
          if (isIn[end.other] && !isSeen[end.other]) {
            isSeen[end.other] = true;
            visits.push_back({end.other, visits[next].node});
          }
    }
    return visits;
  }

  int64_t costOf(const End &end, int32_t own, int32_t other) const {
    const StrategyEdge &edge = problem.edges[end.edge];
    size_t width = problem.nodes[edge.v].size();
    return end.isFirst ? edge.costs[own * width + other] : edge.costs[other * width + own];
  }

  /// Returns the cost of each option with the edges to nodes outside the forest.
  std::vector<Int128> startCosts(int node) const {
    std::vector<Int128> costs(problem.nodes[node].costs.begin(), problem.nodes[node].costs.end());
    for (const End &end : ends[node])
      if (!isIn[end.other])
        for (size_t option = 0; option < costs.size(); ++option)
          costs[option] += costOf(end, static_cast<int32_t>(option), solution[end.other]);
    return costs;
  }

  /// Adds the minimum cost of the subtree of `visit` to each option of its parent.
  void send(Visit &visit, const std::vector<Int128> &costs,
            std::vector<Int128> &parentCosts) const {
    for (size_t above = 0; above < parentCosts.size(); ++above) {
      Int128 least = -1;
      int32_t best = 0;
      for (size_t option = 0; option < costs.size(); ++option) {
        Int128 sum = costs[option];
        for (const End &end : ends[visit.node])
          if (end.other == visit.parent)
            sum += costOf(end, static_cast<int32_t>(option), static_cast<int32_t>(above));
        if (least < 0 || sum < least) {
          least = sum;
          best = static_cast<int32_t>(option);
        }
      }
      parentCosts[above] += least;
      visit.choices.push_back(best);
    }
  }

  StrategySolution solveForest() const {
    std::vector<Visit> visits = listVisits();
    std::vector<std::vector<Int128>> costs(problem.nodes.size());
    for (const Visit &visit : visits)
      costs[visit.node] = startCosts(visit.node);
    for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit)
      if (visit->parent >= 0)
        send(*visit, costs[visit->node], costs[visit->parent]);
    StrategySolution found = solution;
    for (const Visit &visit : visits) {
      const std::vector<Int128> &own = costs[visit.node];
      found[visit.node] =
          visit.parent >= 0
              ? visit.choices[found[visit.parent]]
              : static_cast<int32_t>(std::min_element(own.begin(), own.end()) - own.begin());
    }
    return found;
  }

  const StrategyProblem &problem;
  StrategySolution solution;
  Int128 cost = 0;                    ///< cost of `solution`
  std::vector<std::vector<End>> ends; ///< by node
  std::vector<int> order;             ///< order in which nodes are added
  std::vector<bool> isIn;             ///< by node: whether it is in the current forest
  std::vector<int> trees;             ///< by node: union-find parent in its tree
};

} // namespace

StrategySolution improve(const StrategyProblem &problem, StrategySolution solution, int rounds) {
  return Improver(problem, std::move(solution)).run(rounds);
}

} // namespace pcc::solve
