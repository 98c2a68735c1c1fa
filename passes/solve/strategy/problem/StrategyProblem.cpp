// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Check of a problem, verifier of solutions and usage peaks. They work on the original problem,
// without reductions. A peak is found by a sweep over the begins and ends of live intervals.
#include "passes/solve/strategy/problem/StrategyProblem.h"

#include <algorithm>

namespace pcc::solve {

std::string toString(Int128 value) {
  if (value == 0)
    return "0";
  bool isNegative = value < 0;
  std::string digits;
  for (unsigned __int128 rest = isNegative ? -static_cast<unsigned __int128>(value) : value; rest;
       rest /= 10)
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  if (isNegative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string StrategyProblem::describe(int node) const {
  const std::string &given = nodes[node].name;
  return given.empty() ? "node " + std::to_string(node) : "'" + given + "'";
}

static std::string checkNode(const StrategyProblem &problem, int index) {
  const StrategyNode &node = problem.nodes[index];
  std::string name = problem.describe(index);
  if (node.costs.empty())
    return name + ": expected at least one option";
  if (node.usages.size() != node.costs.size())
    return name + ": expected " + std::to_string(node.costs.size()) + " usages, got " +
           std::to_string(node.usages.size());
  auto isNegative = [](int64_t figure) { return figure < 0; };
  if (std::any_of(node.costs.begin(), node.costs.end(), isNegative))
    return name + ": expected costs of at least 0";
  if (std::any_of(node.usages.begin(), node.usages.end(), isNegative))
    return name + ": expected usages of at least 0";
  return "";
}

static std::string checkEdge(const StrategyProblem &problem, size_t index) {
  const StrategyEdge &edge = problem.edges[index];
  std::string name = "edge " + std::to_string(index);
  int count = static_cast<int>(problem.nodes.size());
  for (int end : {edge.u, edge.v})
    if (end < 0 || end >= count)
      return name + ": expected a node below " + std::to_string(count) + ", got " +
             std::to_string(end);
  if (edge.u == edge.v)
    return name + ": expected two different nodes, got " + problem.describe(edge.u) + " twice";
  // The tables are in memory, so realistic sizes cannot overflow.
  Int128 pairs = Int128(problem.nodes[edge.u].size()) * problem.nodes[edge.v].size();
  if (pairs != Int128(edge.costs.size()))
    return name + ": expected " + toString(pairs) + " costs, got " +
           std::to_string(edge.costs.size());
  if (std::any_of(edge.costs.begin(), edge.costs.end(), [](int64_t cost) { return cost < 0; }))
    return name + ": expected costs of at least 0";
  return "";
}

std::string check(const StrategyProblem &problem) {
  if (problem.usageLimit < 0)
    return "expected a usage limit of at least 0, got " + std::to_string(problem.usageLimit);
  if (problem.nodes.size() > std::numeric_limits<int32_t>::max())
    return "expected at most 2147483647 nodes";
  Int128 most = 0;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    if (std::string error = checkNode(problem, static_cast<int>(i)); !error.empty())
      return error;
    const std::vector<int64_t> &usages = problem.nodes[i].usages;
    most += *std::max_element(usages.begin(), usages.end());
  }
  if (most >= kLargestUse)
    return "expected greatest usages of all nodes that sum to less than " + toString(kLargestUse) +
           ", got " + toString(most);
  for (size_t i = 0; i < problem.edges.size(); ++i)
    if (std::string error = checkEdge(problem, i); !error.empty())
      return error;
  return "";
}

UsagePeak findUsagePeak(const StrategyProblem &problem, const std::vector<int64_t> &use) {
  // Sweeps over the times at which a node begins or ends. At equal times ends come first.
  std::vector<std::pair<int64_t, Int128>> changes;
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    if (const StrategyNode &node = problem.nodes[i]; node.begin < node.end && use[i] > 0) {
      changes.emplace_back(node.begin, use[i]);
      changes.emplace_back(node.end, -Int128(use[i]));
    }
  std::sort(changes.begin(), changes.end());
  UsagePeak peak;
  Int128 now = 0;
  for (auto [time, change] : changes) {
    now += change;
    if (now > peak.use)
      peak = {time, now, {}};
  }
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    if (use[i] > 0 && problem.nodes[i].begin <= peak.time && peak.time < problem.nodes[i].end)
      peak.largest.push_back(static_cast<int>(i));
  std::stable_sort(peak.largest.begin(), peak.largest.end(),
                   [&](int a, int b) { return use[a] > use[b]; });
  peak.largest.resize(std::min<size_t>(peak.largest.size(), 8));
  return peak;
}

UsagePeak findUsagePeak(const StrategyProblem &problem) {
  std::vector<int64_t> least;
  for (const StrategyNode &node : problem.nodes) {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < node.size(); ++i)
      if (node.costs[i] < kForbidden)
        lowest = std::min(lowest, node.usages[i]);
    least.push_back(lowest == std::numeric_limits<int64_t>::max() ? 0 : lowest);
  }
  return findUsagePeak(problem, least);
}

/// Adds all costs to `cost`. Returns the first invalid or forbidden option, or an empty string.
static std::string addCosts(const StrategyProblem &problem, const StrategySolution &solution,
                            Int128 &cost) {
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const StrategyNode &node = problem.nodes[i];
    std::string name = problem.describe(static_cast<int>(i));
    if (solution[i] < 0 || static_cast<size_t>(solution[i]) >= node.size())
      return name + ": expected an option below " + std::to_string(node.size()) + ", got " +
             std::to_string(solution[i]);
    if (node.costs[solution[i]] >= kForbidden)
      return name + ": option " + std::to_string(solution[i]) + " is forbidden";
    cost += node.costs[solution[i]];
  }
  for (const StrategyEdge &edge : problem.edges) {
    size_t width = problem.nodes[edge.v].size();
    int64_t edgeCost = edge.costs[solution[edge.u] * width + solution[edge.v]];
    if (edgeCost >= kForbidden)
      return "option " + std::to_string(solution[edge.u]) + " of " + problem.describe(edge.u) +
             " forbids option " + std::to_string(solution[edge.v]) + " of " +
             problem.describe(edge.v);
    cost += edgeCost;
  }
  return "";
}

Verdict verify(const StrategyProblem &problem, const StrategySolution &solution) {
  if (solution.size() != problem.nodes.size())
    return {0, "expected " + std::to_string(problem.nodes.size()) + " options, got " +
                   std::to_string(solution.size())};
  Verdict verdict;
  verdict.error = addCosts(problem, solution, verdict.cost);
  if (!verdict.ok())
    return verdict;
  std::vector<int64_t> use(problem.nodes.size());
  for (size_t i = 0; i < use.size(); ++i)
    use[i] = problem.nodes[i].usages[solution[i]];
  UsagePeak peak = findUsagePeak(problem, use);
  if (peak.use > problem.usageLimit) {
    verdict.error = "at time " + std::to_string(peak.time) + " " + toString(peak.use) +
                    " is used, expected at most " + std::to_string(problem.usageLimit) +
                    "; most by";
    for (size_t i = 0; i < std::min<size_t>(peak.largest.size(), 3); ++i)
      verdict.error += (i ? ", " : " ") + problem.describe(peak.largest[i]) + " (" +
                       std::to_string(use[peak.largest[i]]) + ")";
  }
  return verdict;
}

} // namespace pcc::solve
