// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/solve/strategy/LayeredFixture.h"

#include "test/unit/solve/strategy/StrategyFixture.h"
#include <algorithm>

namespace pcc::solve::test {

namespace {

/// An edge that every layer has: to a node of the same layer or of the next one.
struct Pattern {
  int from, to, step;
  CostTable table;
};

} // namespace

static StrategyNode randomNode(int options, Random &random) {
  StrategyNode node;
  for (int i = 0; i < options; ++i) {
    node.costs.push_back(random.below(40));
    node.usages.push_back(random.below(9));
  }
  return node;
}

StrategyProblem layeredProblem(const Layers &layers) {
  Random random(layers.seed);
  StrategyProblem problem;
  std::vector<StrategyNode> layer;
  for (int i = 0; i < layers.width; ++i)
    layer.push_back(randomNode(1 + static_cast<int>(random.below(layers.options)), random));
  int64_t end = 2 * (layers.count + 2) * layers.width;
  auto add = [&](StrategyNode node) {
    node.begin = static_cast<int64_t>(problem.nodes.size());
    node.end = node.begin % 2 ? node.begin + layers.width + 1 : end - node.begin;
    problem.nodes.push_back(std::move(node));
  };
  add(randomNode(2, random));
  for (int i = 0; i < layers.count * layers.width; ++i)
    add(layer[i % layers.width]);
  add(randomNode(2, random));

  std::vector<Pattern> patterns;
  auto pattern = [&](int from, int to, int step) {
    patterns.push_back({from, to, step, randomTable(problem, 1 + from, 1 + to, 30, random)});
  };
  for (int i = 0; i + 1 < layers.width; ++i)
    pattern(i, i + 1, 0);
  for (int i = 0; i + 2 < layers.width; i += 2)
    pattern(i, i + 2, 0);
  pattern(layers.width - 1, 0, 1);
  if (layers.width > 1)
    pattern(1, 1, 1);
  for (int l = 0; l < layers.count; ++l)
    for (const Pattern &one : patterns)
      if (l + one.step < layers.count)
        problem.edges.push_back({1 + l * layers.width + one.from,
                                 1 + (l + one.step) * layers.width + one.to, one.table});
  int last = static_cast<int>(problem.nodes.size()) - 1;
  problem.edges.push_back({0, 1, randomTable(problem, 0, 1, 30, random)});
  problem.edges.push_back({last - 1, last, randomTable(problem, last - 1, last, 30, random)});
  if (layers.isTight) {
    std::vector<int64_t> greatest;
    for (const StrategyNode &node : problem.nodes)
      greatest.push_back(*std::max_element(node.usages.begin(), node.usages.end()));
    auto least = int64_t(findUsagePeak(problem).use);
    auto most = int64_t(findUsagePeak(problem, greatest).use);
    problem.usageLimit = least + (most - least) / 3;
  }
  return problem;
}

StrategyProblem joined(const StrategyProblem &first, const StrategyProblem &second) {
  StrategyProblem problem = first;
  int shift = static_cast<int>(first.nodes.size());
  for (StrategyNode node : second.nodes)
    problem.nodes.push_back(std::move(node));
  for (StrategyEdge edge : second.edges) {
    edge.u += shift;
    edge.v += shift;
    problem.edges.push_back(std::move(edge));
  }
  Random random(shift);
  problem.edges.push_back({shift - 1, shift, randomTable(problem, shift - 1, shift, 30, random)});
  problem.usageLimit = std::numeric_limits<int64_t>::max();
  return problem;
}

} // namespace pcc::solve::test
