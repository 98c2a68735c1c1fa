// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removal of options that no optimal solution needs.

#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

namespace {

/// Whether some option of the other end is compatible with option `option` of `node`.
bool hasPartner(const Core &core, const CoreEdge &edge, int node, int option) {
  int count = core.nodes[edge.other(node)].size();
  for (int j = 0; j < count; ++j)
    if (core.at(edge, node, option, j) < kInfinite)
      return true;
  return false;
}

/// The tables around a node, transposed so that its options are the rows.
class NeighborTables {
public:
  NeighborTables(const Core &core, int index) : node(core.nodes[index]) {
    for (int e : node.edges) {
      const CoreEdge &edge = core.edges[e];
      int count = core.nodes[edge.other(index)].size();
      std::vector<Cost> table = edge.table;
      if (edge.v == index)
        for (int i = 0; i < node.size(); ++i)
          for (int j = 0; j < count; ++j)
            table[size_t(i) * count + j] = edge.table[size_t(j) * node.size() + i];
      tables.push_back(std::move(table));
      counts.push_back(count);
    }
  }

  /// Whether `better` costs and uses no more than `worse` for all choices of the neighbors.
  bool dominates(int better, int worse) const {
    for (const Term &term : node.terms)
      if (term.use[better] > term.use[worse])
        return false;
    Cost excess = node.costs[better] - node.costs[worse];
    if (excess > 0 && tables.empty())
      return false;
    for (size_t t = 0; t < tables.size(); ++t) {
      const Cost *a = &tables[t][size_t(better) * counts[t]];
      const Cost *b = &tables[t][size_t(worse) * counts[t]];
      Cost most = -kInfinite;
      for (int j = 0; j < counts[t]; ++j)
        if (b[j] < kInfinite)
          most = std::max(most, a[j] - b[j]);
      // An infinite entry of `better` against a finite entry of `worse` exceeds every finite sum.
      if (most > kLargestSum)
        return false;
      excess += most;
    }
    return excess <= 0;
  }

private:
  const CoreNode &node;
  std::vector<std::vector<Cost>> tables;
  std::vector<int> counts;
};

/// Returns the consistent options of a node that no other option dominates.
std::vector<int32_t> usefulOptions(const Core &core, int index) {
  const CoreNode &node = core.nodes[index];
  std::vector<int32_t> kept;
  for (int option = 0; option < node.size(); ++option)
    if (node.costs[option] < kInfinite &&
        std::all_of(
            node.edges.begin(), node.edges.end(),
            [&](int e) { return hasPartner(core, core.edges[e], index, option); }))
      kept.push_back(option);
  if (kept.size() <= 1 || index == core.kept)
    return kept;
  NeighborTables neighborTables(core, index);
  for (size_t i = 0; i < kept.size();) {
    bool isDominated = std::any_of(kept.begin(), kept.end(), [&](int32_t other) {
      return other != kept[i] && neighborTables.dominates(other, kept[i]);
    });
    if (isDominated)
      kept.erase(kept.begin() + i);
    else
      ++i;
  }
  return kept;
}

} // namespace

bool removeOptions(Core &core, std::vector<char> &dirty, const Stop &stop) {
  bool changed = false;
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < core.nodes.size(); ++i) {
      if (!dirty[i] || core.nodes[i].isGone())
        continue;
      if (stop())
        return changed;
      dirty[i] = false;
      int index = static_cast<int>(i);
      std::vector<int32_t> kept = usefulOptions(core, index);
      if (kept.size() == core.nodes[i].costs.size())
        continue;
      core.keepOptions(index, kept);
      if (core.isContradictory())
        return true;
      core.normalize(index);
      changed = again = true;
      for (int e : core.nodes[i].edges)
        dirty[core.edges[e].other(index)] = true;
    }
  }
  return changed;
}

bool reduceUse(Core &core, std::vector<char> &dirty, const Stop &stop) {
  if (stop())
    return false;
  std::vector<Segment> segments = findSegments(core);
  if (core.isContradictory())
    return true;
  bool changed = false;
  for (size_t i = 0; i < core.nodes.size(); ++i) {
    CoreNode &node = core.nodes[i];
    size_t before = node.terms.size();
    std::vector<int32_t> fits;
    std::vector<char> tooMuch(node.costs.size(), false);
    std::erase_if(node.terms, [&](const Term &term) {
      auto [first, last] = rangeOf(segments, term.begin, term.end);
      for (int s = first; s < last; ++s)
        for (int option = 0; option < node.size(); ++option)
          tooMuch[option] |= term.use[option] > segments[s].capacity;
      return first == last;
    });
    for (int option = 0; option < node.size(); ++option)
      if (!tooMuch[option])
        fits.push_back(option);
    if (node.terms.size() == before && fits.size() == node.costs.size())
      continue;
    changed = true;
    dirty[i] = true;
    if (fits.size() == node.costs.size())
      continue;
    core.keepOptions(static_cast<int>(i), fits);
    if (core.isContradictory())
      return true;
    core.normalize(static_cast<int>(i));
    for (int e : node.edges)
      dirty[core.edges[e].other(static_cast<int>(i))] = true;
  }
  return changed;
}

} // namespace pcc::solve
