// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the flat problem of classes directly, without a core. Edges are sorted by class pair and
// table. Class pairs with the same tables in the same numbers then share one summed table. Sums are
// doubles; with single-node classes, costs are limited so that these are exact.
#include "passes/solve/strategy/symmetry/FoldedProblem.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pcc::solve {

namespace {

/// An edge of the problem between two classes, in the orientation of the flat problem.
struct ClassEdge {
  int u, v;  ///< u < v
  int table; ///< twice its index, plus 1 if its rows are v's options
  int edge;  ///< index in the problem
  auto key() const { return std::tuple(u, v, table); }
};

class Folder {
public:
  Folder(FoldedProblem &folded, const EdgeTables &tables)
      : folded(folded), problem(folded.problem), tables(tables), flat(folded.flat),
        members(folded.classes.members()),
        largest(folded.classes.count == static_cast<int>(problem.nodes.size()) ? kLargestFigure
                                                                               : 0x1p90) {}

  void run() {
    addNodes();
    folded.edges.resize(problem.edges.size());
    std::vector<ClassEdge> classEdges = listClassEdges();
    for (size_t first = 0; first < classEdges.size();) {
      size_t last = first;
      while (last < classEdges.size() && classEdges[last].u == classEdges[first].u &&
             classEdges[last].v == classEdges[first].v)
        ++last;
      addEdge(&classEdges[first], &classEdges[last - 1] + 1);
      first = last;
    }
    flat.tables.assign(flat.exactTables.begin(), flat.exactTables.end());
    for (size_t i = 0; i < flat.nodes.size(); ++i)
      finishNode(static_cast<int>(i));
  }

private:
  double figure(int64_t cost, int count) const {
    return cost >= kForbidden ? double(kHugeCost) : std::min(double(cost) * count, largest);
  }

  /// Limits a sum of costs.
  double limited(double sum) const {
    return sum >= double(kHugeCost) ? double(kHugeCost) : std::min(sum, largest);
  }

  void addNodes() {
    std::vector<Int128> fixed(folded.times.size() + 1, 0);
    for (const std::vector<int> &nodes : members) {
      const StrategyNode &one = problem.nodes[nodes.front()];
      FlatNode &node = flat.nodes.emplace_back();
      node.size = static_cast<int>(one.size());
      node.padded = padded(node.size);
      node.first = flat.options;
      node.coreNode = static_cast<int>(flat.nodes.size()) - 1;
      flat.options += node.padded;
      flat.costs.resize(flat.options, double(kHugeCost));
      for (int i = 0; i < node.size; ++i)
        flat.costs[node.first + i] = figure(one.costs[i], static_cast<int>(nodes.size()));
      addUses(nodes, node, fixed);
    }
    Int128 used = 0;
    for (size_t s = 0; s < folded.times.size(); ++s) {
      used += fixed[s];
      flat.capacities.push_back(int64_t(problem.usageLimit - used));
    }
  }

  /// Adds the usages of a class. Its minimum usage becomes fixed usage.
  void addUses(const std::vector<int> &nodes, FlatNode &node, std::vector<Int128> &fixed) {
    std::vector<int64_t> use = problem.nodes[nodes.front()].usages;
    auto [low, high] = std::minmax_element(use.begin(), use.end());
    int64_t least = *low;
    bool isFixed = least == *high;
    for (int64_t &one : use)
      one -= least;
    std::vector<std::pair<int, int>> changes; // changes of the number of live nodes
    for (int i : nodes) {
      int begin = placeOf(problem.nodes[i].begin), end = placeOf(problem.nodes[i].end);
      if (begin >= end)
        continue;
      changes.emplace_back(begin, 1);
      changes.emplace_back(end, -1);
      fixed[begin] += least;
      fixed[end] -= least;
    }
    if (isFixed)
      return;
    std::sort(changes.begin(), changes.end());
    int live = 0;
    for (size_t i = 0; i + 1 < changes.size(); ++i) {
      live += changes[i].second;
      if (live == 0 || changes[i].first == changes[i + 1].first)
        continue;
      SegmentUse &range =
          node.uses.emplace_back(SegmentUse{changes[i].first, changes[i + 1].first, use});
      for (int64_t &one : range.use)
        one *= live;
    }
  }

  int placeOf(int64_t time) const {
    return static_cast<int>(std::lower_bound(folded.times.begin(), folded.times.end(), time) -
                            folded.times.begin());
  }

  /// Returns all edges between different classes. Edges within a class become costs.
  std::vector<ClassEdge> listClassEdges() {
    std::vector<ClassEdge> classEdges;
    for (size_t e = 0; e < problem.edges.size(); ++e) {
      const StrategyEdge &edge = problem.edges[e];
      int u = folded.classes.of[edge.u], v = folded.classes.of[edge.v];
      if (u == v) {
        const FlatNode &node = flat.nodes[u];
        for (int i = 0; i < node.size; ++i) {
          double &cost = flat.costs[node.first + i];
          cost = limited(cost + figure(edge.costs[size_t(i) * node.size + i], 1));
        }
        continue;
      }
      bool isTransposed = u > v;
      folded.edges[e].isTransposed = isTransposed;
      classEdges.push_back(
          {std::min(u, v), std::max(u, v), 2 * tables.of[e] + isTransposed, static_cast<int>(e)});
    }
    std::sort(classEdges.begin(), classEdges.end(),
              [](const ClassEdge &a, const ClassEdge &b) { return a.key() < b.key(); });
    return classEdges;
  }

  void addEdge(const ClassEdge *first, const ClassEdge *last) {
    const FlatNode &u = flat.nodes[first->u], &v = flat.nodes[first->v];
    int index = static_cast<int>(flat.edges.size());
    std::vector<int> parts; // pairs of a table and its multiplicity
    for (const ClassEdge *classEdge = first; classEdge != last; ++classEdge) {
      folded.edges[classEdge->edge].edge = index;
      if (parts.empty() || parts[parts.size() - 2] != classEdge->table)
        parts.insert(parts.end(), {classEdge->table, 0});
      ++parts.back();
    }
    FlatEdge &edge = flat.edges.emplace_back();
    edge.coreEdge = index;
    edge.u = first->u;
    edge.v = first->v;
    edge.message = flat.messages;
    edge.backward = flat.messages + v.padded;
    flat.messages += u.padded + v.padded;
    flat.tableEntries += size_t(u.size) * v.size;
    std::tie(edge.uv, edge.vu) = placeTables(parts, u, v);
    folded.edgeCounts.push_back(static_cast<int>(last - first));
    flat.nodes[edge.v].neighbors.push_back({edge.u, index, edge.vu, edge.uv});
    flat.nodes[edge.u].neighbors.push_back({edge.v, index, edge.uv, edge.vu});
  }

  /// Returns the offsets of the sum of the tables, with rows by u and with rows by v.
  std::pair<size_t, size_t> placeTables(const std::vector<int> &parts, const FlatNode &u,
                                        const FlatNode &v) {
    auto [known, isNew] = places.try_emplace(parts);
    if (!isNew)
      return known->second;
    std::vector<double> &entries = flat.exactTables;
    size_t uv = entries.size(), vu = uv + size_t(u.size) * v.padded;
    entries.resize(vu + size_t(v.size) * u.padded, double(kHugeCost));
    for (int i = 0; i < u.size; ++i)
      for (int j = 0; j < v.size; ++j) {
        double sum = 0;
        for (size_t p = 0; p < parts.size(); p += 2) {
          const CostTable &table = *tables.tables[parts[p] / 2];
          size_t at = parts[p] % 2 ? size_t(j) * u.size + i : size_t(i) * v.size + j;
          sum += figure(table[at], parts[p + 1]);
        }
        sum = limited(sum);
        entries[uv + size_t(i) * v.padded + j] = sum;
        entries[vu + size_t(j) * u.padded + i] = sum;
      }
    return known->second = {uv, vu};
  }

  /// Moves the minimum cost into the constant and sorts the neighbors.
  void finishNode(int index) {
    FlatNode &node = flat.nodes[index];
    double *costs = &flat.costs[node.first];
    double least = *std::min_element(costs, costs + node.size);
    if (least < double(kHugeCost)) {
      folded.constant += Int128(least);
      for (int i = 0; i < node.size; ++i)
        costs[i] = limited(costs[i] - (costs[i] < double(kHugeCost) ? least : 0));
    }
    auto isEarlier = [](const Neighbor &a, const Neighbor &b) { return a.node < b.node; };
    std::sort(node.neighbors.begin(), node.neighbors.end(), isEarlier);
    node.earlier = static_cast<int>(
        std::lower_bound(node.neighbors.begin(), node.neighbors.end(), Neighbor{index}, isEarlier) -
        node.neighbors.begin());
  }

  FoldedProblem &folded;
  const StrategyProblem &problem;
  const EdgeTables &tables;
  FlatProblem &flat;
  std::vector<std::vector<int>> members;
  double largest;
  std::map<std::vector<int>, std::pair<size_t, size_t>> places; ///< table offsets, by parts
};

} // namespace

FoldedProblem::FoldedProblem(const StrategyProblem &problem, const EdgeTables &tables,
                             NodeClasses classes, std::vector<int64_t> times)
    : problem(problem), classes(std::move(classes)), times(std::move(times)) {
  Folder(*this, tables).run();
}

StrategySolution FoldedProblem::unfold(const std::vector<int32_t> &options) const {
  StrategySolution solution;
  for (int one : classes.of)
    solution.push_back(options[one]);
  return solution;
}

std::vector<int32_t> FoldedProblem::fold(const StrategySolution &solution) const {
  std::vector<int32_t> options(classes.count, -1);
  for (size_t i = 0; i < solution.size(); ++i)
    if (options[classes.of[i]] < 0)
      options[classes.of[i]] = solution[i];
  return options;
}

std::vector<float> carryMessages(const FoldedProblem &coarse, const std::vector<float> &messages,
                                 const FoldedProblem &fine) {
  std::vector<float> result(fine.flat.messages, 0.0F);
  for (size_t e = 0; e < fine.edges.size(); ++e) {
    const FoldedEdge &from = coarse.edges[e], &to = fine.edges[e];
    if (from.edge < 0 || to.edge < 0)
      continue;
    const FlatEdge &given = coarse.flat.edges[from.edge];
    const FlatEdge &edge = fine.flat.edges[to.edge];
    float share = 1.0F / float(coarse.edgeCounts[from.edge]);
    auto add = [&](size_t source, size_t target, int node) {
      for (int i = 0; i < fine.flat.nodes[node].size; ++i)
        result[target + i] += share * messages[source + i];
    };
    bool isSame = from.isTransposed == to.isTransposed;
    add(isSame ? given.message : given.backward, edge.message, edge.v);
    add(isSame ? given.backward : given.message, edge.backward, edge.u);
  }
  return result;
}

} // namespace pcc::solve
