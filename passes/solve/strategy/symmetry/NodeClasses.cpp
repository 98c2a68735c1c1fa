// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Color refinement by hashing. The first classes compare costs and usages exactly. Up to three
// rounds split them by a hash of each node's edges, while there are few enough classes. A hash
// collision only makes classes coarser. The result counts only if the class sizes indicate repeated
// layers.
#include "passes/solve/strategy/symmetry/NodeClasses.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace pcc::solve {

/// Maximum number of refinement rounds: about the length of a layer in edges. More rounds only
/// enlarge the ends of a chain of layers.
static constexpr int maxRounds = 3;

/// Minimum ratio of nodes to classes.
static constexpr int minFoldFactor = 6;

/// Minimum number of classes of about equal size that indicates repeated layers.
static constexpr int minClassesOfSize = 8;

std::vector<std::vector<int>> NodeClasses::members() const {
  std::vector<std::vector<int>> result(count);
  for (size_t i = 0; i < of.size(); ++i)
    result[of[i]].push_back(static_cast<int>(i));
  return result;
}

NodeClasses singletonClasses(const StrategyProblem &problem) {
  NodeClasses classes;
  for (; classes.count < static_cast<int>(problem.nodes.size()); ++classes.count)
    classes.of.push_back(classes.count);
  return classes;
}

NodeClasses split(const NodeClasses &classes, const std::vector<uint64_t> &labels) {
  std::unordered_multimap<uint64_t, int> known; // by hash: first node of each class
  NodeClasses result;
  for (size_t i = 0; i < labels.size(); ++i) {
    uint64_t hash = mixHash(labels[i], classes.of[i]);
    int found = -1;
    auto [first, last] = known.equal_range(hash);
    for (; first != last && found < 0; ++first)
      if (int one = first->second; classes.of[one] == classes.of[i] && labels[one] == labels[i])
        found = result.of[one];
    if (found < 0) {
      found = result.count++;
      known.emplace(hash, static_cast<int>(i));
    }
    result.of.push_back(found);
  }
  return result;
}

/// Groups nodes with equal costs and usages.
static NodeClasses groupEqualNodes(const StrategyProblem &problem) {
  std::unordered_multimap<uint64_t, int> known; // by hash: first node of each class
  NodeClasses result;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const StrategyNode &node = problem.nodes[i];
    uint64_t hash = mixHash(hashOf(node.costs), hashOf(node.usages));
    int found = -1;
    auto [first, last] = known.equal_range(hash);
    for (; first != last && found < 0; ++first)
      if (const StrategyNode &other = problem.nodes[first->second];
          other.costs == node.costs && other.usages == node.usages)
        found = result.of[first->second];
    if (found < 0) {
      found = result.count++;
      known.emplace(hash, static_cast<int>(i));
    }
    result.of.push_back(found);
  }
  return result;
}

/// Computes the labels of the next round: a hash of each node's edges and their classes.
static std::vector<uint64_t> hashNeighborhoods(const StrategyProblem &problem,
                                               const EdgeTables &tables,
                                               const NodeClasses &classes) {
  // Sums of hashes do not depend on the order of the edges.
  std::vector<uint64_t> labels(problem.nodes.size(), 0);
  for (size_t e = 0; e < problem.edges.size(); ++e) {
    const StrategyEdge &edge = problem.edges[e];
    uint64_t table = 2 * uint64_t(tables.of[e]);
    labels[edge.u] += mixHash(mixHash(table, 1), classes.of[edge.v]);
    labels[edge.v] += mixHash(mixHash(table + 1, 1), classes.of[edge.u]);
  }
  return labels;
}

/// Detects layers by class sizes: many classes have about as many nodes, one for each layer.
/// Problems of many small equal parts have no such layers. Equal choices would cost too much there.
static bool hasLayers(const NodeClasses &classes) {
  std::vector<size_t> sizes;
  for (const std::vector<int> &nodes : classes.members())
    sizes.push_back(nodes.size());
  std::sort(sizes.begin(), sizes.end());
  size_t repeated = 0;
  for (size_t size : sizes) {
    auto first = std::lower_bound(sizes.begin(), sizes.end(), size - size / 20);
    auto last = std::upper_bound(sizes.begin(), sizes.end(), size + size / 20);
    if (size >= minInstances && last - first >= minClassesOfSize)
      repeated += size;
  }
  return 2 * repeated > classes.of.size();
}

NodeClasses findSimilarNodes(const StrategyProblem &problem, const EdgeTables &tables) {
  NodeClasses classes = groupEqualNodes(problem);
  auto isTooFine = [&](const NodeClasses &finer) {
    return size_t(finer.count) * minFoldFactor > problem.nodes.size();
  };
  if (isTooFine(classes))
    return {};
  for (int round = 0; round < maxRounds; ++round) {
    NodeClasses finer = split(classes, hashNeighborhoods(problem, tables, classes));
    if (finer.count == classes.count || isTooFine(finer))
      break;
    classes = std::move(finer);
  }
  return hasLayers(classes) ? classes : NodeClasses();
}

EdgeTables::EdgeTables(const StrategyProblem &problem) {
  std::vector<size_t> widths; // by table: entries in a row
  std::unordered_multimap<uint64_t, int> byHash;
  std::map<std::pair<const int64_t *, size_t>, int> byPlace; // shared tables are looked up once
  auto find = [&](const CostTable &table, size_t width) {
    uint64_t hash = mixHash(hashOf(table), width);
    auto [first, last] = byHash.equal_range(hash);
    for (; first != last; ++first)
      if (int one = first->second; widths[one] == width && tables[one]->list() == table.list())
        return one;
    int added = static_cast<int>(tables.size());
    tables.push_back(&table);
    widths.push_back(width);
    byHash.emplace(hash, added);
    return added;
  };
  for (const StrategyEdge &edge : problem.edges) {
    size_t width = problem.nodes[edge.v].size();
    auto [known, isNew] = byPlace.try_emplace({edge.costs.list().data(), width}, 0);
    if (isNew)
      known->second = find(edge.costs, width);
    of.push_back(known->second);
  }
}

} // namespace pcc::solve
