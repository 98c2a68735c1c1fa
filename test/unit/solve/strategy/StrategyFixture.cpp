// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small random problems, and a search of all their solutions, with which tests compare.
#include "test/unit/solve/strategy/StrategyFixture.h"

#include <algorithm>

namespace pcc::solve::test {

static int64_t randomCost(Random &random, double forbidden) {
  if (random.unit() < forbidden)
    return kForbidden;
  return random.below(4) == 0 ? random.below(3) : random.below(1000);
}

/// Returns a random table between `u` and `v`; some tables make v a function of u.
static StrategyEdge randomEdge(const StrategyProblem &problem, int u, int v, Random &random,
                               double forbidden) {
  std::vector<int64_t> costs;
  size_t rows = problem.nodes[u].size(), columns = problem.nodes[v].size();
  bool isFunction = random.below(6) == 0;
  for (size_t i = 0; i < rows; ++i) {
    size_t only = random.below(static_cast<uint32_t>(columns));
    for (size_t j = 0; j < columns; ++j)
      costs.push_back(isFunction && j != only ? kForbidden : randomCost(random, forbidden));
  }
  return {u, v, std::move(costs)};
}

std::vector<int64_t> randomTable(const StrategyProblem &problem, int u, int v, uint32_t below,
                                 Random &random) {
  std::vector<int64_t> costs(problem.nodes[u].size() * problem.nodes[v].size());
  for (int64_t &cost : costs)
    cost = random.below(below);
  return costs;
}

StrategyProblem randomProblem(uint64_t seed) {
  Random random(seed);
  StrategyProblem problem;
  int count = 2 + static_cast<int>(random.below(8));
  double forbidden = random.below(2) ? 0 : 0.3 * random.unit();
  for (int i = 0; i < count; ++i) {
    StrategyNode node;
    node.begin = random.below(10);
    node.end = node.begin + random.below(6);
    for (uint32_t options = 1 + random.below(4); options > 0; --options) {
      node.costs.push_back(randomCost(random, forbidden / 2));
      node.usages.push_back(random.below(3) ? random.below(100) : 0);
    }
    problem.nodes.push_back(node);
  }
  double density = random.unit();
  for (int u = 0; u < count; ++u)
    for (int v = u + 1; v < count; ++v)
      if (random.unit() < density)
        problem.edges.push_back(random.below(2) ? randomEdge(problem, u, v, random, forbidden)
                                                : randomEdge(problem, v, u, random, forbidden));
  if (random.below(4))
    problem.usageLimit = random.below(200);
  return problem;
}

StrategyProblem shapedProblem(Shape shape, int nodes, int options, uint64_t seed) {
  Random random(seed);
  StrategyProblem problem;
  for (int i = 0; i < nodes; ++i) {
    StrategyNode node{i, i + 2, {}, {}, {}};
    for (uint32_t k = 1 + random.below(options); k > 0; --k) {
      node.costs.push_back(random.below(10000));
      node.usages.push_back(random.below(10));
    }
    problem.nodes.push_back(node);
  }
  auto join = [&](int u, int v) {
    StrategyEdge edge = randomEdge(problem, u, v, random, 0);
    std::vector<int64_t> costs = edge.costs.list();
    for (int64_t &cost : costs)
      cost = std::min<int64_t>(cost, 5000);
    problem.edges.push_back({u, v, std::move(costs)});
  };
  for (int i = 1; i < nodes; ++i) {
    int back = shape == Shape::Tree ? 1 + static_cast<int>(random.below(i)) : 1;
    join(i - back, i);
    // A diamond over each pair of steps keeps a chain series-parallel.
    if (shape == Shape::SeriesParallel && i % 2 == 0)
      join(i - 2, i);
  }
  problem.usageLimit = 40;
  return problem;
}

std::optional<Int128> bruteForce(const StrategyProblem &problem) {
  std::optional<Int128> best;
  StrategySolution solution(problem.nodes.size(), 0);
  for (bool more = true; more;) {
    Verdict verdict = verify(problem, solution);
    if (verdict.ok() && (!best || verdict.cost < *best))
      best = verdict.cost;
    more = false;
    for (size_t i = 0; i < solution.size() && !more; ++i) {
      more = static_cast<size_t>(++solution[i]) < problem.nodes[i].size();
      if (!more)
        solution[i] = 0;
    }
  }
  return best;
}

} // namespace pcc::solve::test
