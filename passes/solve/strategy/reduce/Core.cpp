// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a core from a problem, edits it, and maps solutions back. Building drops forbidden options
// and scales costs down if sums could overflow. Mapping back undoes the recorded steps in reverse
// order, through all earlier compactions.
#include "passes/solve/strategy/reduce/Core.h"

namespace pcc::solve {

/// Returns the right shift of costs after which no sum of finite costs reaches kLargestSum.
static int shiftFor(const StrategyProblem &problem) {
  auto greatest = [](const std::vector<int64_t> &costs) {
    int64_t most = 0;
    for (int64_t cost : costs)
      most = cost < kForbidden ? std::max(most, cost) : most;
    return most;
  };
  Int128 sum = 0;
  for (const StrategyNode &node : problem.nodes)
    sum += greatest(node.costs);
  for (const StrategyEdge &edge : problem.edges)
    sum += greatest(edge.costs.list());
  int shift = 0;
  while ((sum >> shift) >= kLargestSum)
    ++shift;
  return shift;
}

static std::shared_ptr<const std::vector<std::string>>
describeNodes(const StrategyProblem &problem) {
  auto names = std::make_shared<std::vector<std::string>>();
  for (int node = 0; node < static_cast<int>(problem.nodes.size()); ++node)
    names->push_back(problem.describe(node));
  return names;
}

Core::Core(const StrategyProblem &problem)
    : limit(problem.usageLimit), shift(shiftFor(problem)), names(describeNodes(problem)) {
  auto toCore = [&](int64_t cost) { return cost >= kForbidden ? kInfinite : cost >> shift; };
  for (const StrategyNode &given : problem.nodes) {
    CoreNode &node = nodes.emplace_back();
    for (int64_t cost : given.costs)
      node.costs.push_back(toCore(cost));
    if (given.begin < given.end)
      node.terms.push_back({given.begin, given.end, given.usages});
  }
  for (const StrategyEdge &given : problem.edges) {
    int index = static_cast<int>(edges.size());
    CoreEdge &edge = edges.emplace_back(CoreEdge{given.u, given.v, given.costs.list()});
    for (Cost &cost : edge.table)
      cost = toCore(cost);
    nodes[edge.u].edges.push_back(index);
    nodes[edge.v].edges.push_back(index);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::vector<int32_t> kept;
    for (int option = 0; option < nodes[i].size(); ++option)
      if (nodes[i].costs[option] < kInfinite)
        kept.push_back(option);
    keepOptions(static_cast<int>(i), kept);
    if (isContradictory())
      return;
    normalize(static_cast<int>(i));
  }
}

void Core::dropEdge(int index) {
  CoreEdge &edge = edges[index];
  for (int end : {edge.u, edge.v}) {
    std::vector<int> &list = nodes[end].edges;
    list.erase(std::find(list.begin(), list.end(), index));
  }
  edge.table = {};
}

void Core::contradict(int node) {
  for (const History *record = history.get(); record; record = record->before.get())
    node = record->nodes[node];
  contradiction = "no option of " + (*names)[node] + " goes with any choice of the other nodes";
}

void Core::normalize(int index) {
  CoreNode &node = nodes[index];
  Cost least = *std::min_element(node.costs.begin(), node.costs.end());
  if (least >= kInfinite) {
    contradict(index);
    return;
  }
  constant += least;
  for (Cost &cost : node.costs)
    cost = add(cost, -least);
  for (Term &term : node.terms) {
    int64_t fixed = *std::min_element(term.use.begin(), term.use.end());
    if (fixed == 0)
      continue;
    fixedUse.push_back({term.begin, fixed});
    fixedUse.push_back({term.end, -fixed});
    for (int64_t &use : term.use)
      use -= fixed;
  }
  std::erase_if(node.terms, [](const Term &term) {
    return std::all_of(term.use.begin(), term.use.end(), [](int64_t use) { return use == 0; });
  });
}

/// Replaces `values` by `values[kept[0]], values[kept[1]], …`.
template <typename T> static void select(std::vector<T> &values, const std::vector<int32_t> &kept) {
  for (size_t i = 0; i < kept.size(); ++i)
    values[i] = values[kept[i]];
  values.resize(kept.size());
}

void Core::keepOptions(int index, const std::vector<int32_t> &kept) {
  CoreNode &node = nodes[index];
  if (kept.size() == node.costs.size())
    return;
  if (kept.empty()) {
    contradict(index);
    return;
  }
  for (int e : node.edges) {
    CoreEdge &edge = edges[e];
    size_t width = nodes[edge.v].size();
    if (edge.v == index) {
      size_t to = 0, height = edge.table.size() / width;
      for (size_t row = 0; row < height; ++row)
        for (int32_t option : kept)
          edge.table[to++] = edge.table[row * width + option];
      edge.table.resize(to);
    } else {
      size_t to = 0;
      for (int32_t option : kept)
        for (size_t column = 0; column < width; ++column)
          edge.table[to++] = edge.table[option * width + column];
      edge.table.resize(to);
    }
  }
  select(node.costs, kept);
  for (Term &term : node.terms)
    select(term.use, kept);
  steps.push_back({Step::Keep, index, -1, -1, 1, kept});
}

static void undoSteps(const std::vector<Step> &steps, StrategySolution &options) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    size_t at = 0;
    if (step->kind == Step::Keep)
      at = options[step->node];
    else if (step->a >= 0)
      at = size_t(options[step->a]) * step->sizeOfB + (step->b >= 0 ? options[step->b] : 0);
    options[step->node] = step->map[at];
  }
}

StrategySolution Core::expand(StrategySolution options) const {
  options.resize(nodes.size());
  undoSteps(steps, options);
  for (const History *record = history.get(); record; record = record->before.get()) {
    StrategySolution larger(record->size, 0);
    for (size_t i = 0; i < record->nodes.size(); ++i)
      larger[record->nodes[i]] = options[i];
    options = std::move(larger);
    undoSteps(record->steps, options);
  }
  return options;
}

StrategySolution Core::project(StrategySolution options) const {
  for (const Step &step : history->steps)
    if (step.kind == Step::Keep) {
      int32_t &option = options[step.node];
      auto found = std::find(step.map.begin(), step.map.end(), option);
      option = found == step.map.end() ? 0 : int32_t(found - step.map.begin());
    }
  StrategySolution smaller;
  for (int node : history->nodes)
    smaller.push_back(options[node]);
  return smaller;
}

} // namespace pcc::solve
