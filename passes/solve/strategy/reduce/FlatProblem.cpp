// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a compact core to arrays. Tables are stored in the order in which sweeps read them: by
// ascending nodes for the forward sweep, and transposed by descending nodes for the backward sweep.
#include "passes/solve/strategy/reduce/FlatProblem.h"

#include <numeric>

namespace pcc::solve {

/// Returns the usages of a node of a compact core.
static std::vector<SegmentUse> usesOf(const CoreNode &node) {
  std::vector<SegmentUse> uses;
  for (const Term &term : node.terms)
    uses.push_back({static_cast<int>(term.begin), static_cast<int>(term.end), term.use});
  return uses;
}

FlatProblem::FlatProblem(const Core &core, const std::vector<Segment> &segments) {
  std::vector<int> place(core.nodes.size(), -1);
  for (size_t i = 0; i < core.nodes.size(); ++i) {
    const CoreNode &given = core.nodes[i];
    if (given.isGone())
      continue;
    place[i] = static_cast<int>(nodes.size());
    FlatNode &node = nodes.emplace_back();
    node.size = given.size();
    node.padded = padded(node.size);
    node.first = options;
    node.coreNode = static_cast<int>(i);
    node.uses = usesOf(given);
    options += node.padded;
  }
  costs.assign(options, double(kHugeCost));
  for (const FlatNode &node : nodes)
    for (int i = 0; i < node.size; ++i)
      costs[node.first + i] = double(core.nodes[node.coreNode].costs[i]);
  for (const Segment &segment : segments)
    capacities.push_back(segment.capacity);

  size_t end = 0;
  for (size_t e = 0; e < core.edges.size(); ++e) {
    const CoreEdge &edge = core.edges[e];
    if (edge.isGone())
      continue;
    auto [u, v] = std::minmax(place[edge.u], place[edge.v]);
    FlatEdge &added = edges.emplace_back();
    added.coreEdge = static_cast<int>(e);
    added.u = u;
    added.v = v;
    added.message = messages;
    added.backward = messages + nodes[v].padded;
    messages += nodes[u].padded + nodes[v].padded;
    tableEntries += edge.table.size();
  }
  // Tables are stored in the order in which a sweep reads them.
  std::vector<int> order(edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(edges[a].u, edges[a].v) < std::pair(edges[b].u, edges[b].v);
  });
  for (int e : order) {
    edges[e].uv = end;
    end += size_t(nodes[edges[e].u].size) * nodes[edges[e].v].padded;
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(edges[a].v, edges[a].u) > std::pair(edges[b].v, edges[b].u);
  });
  for (int e : order) {
    edges[e].vu = end;
    end += size_t(nodes[edges[e].v].size) * nodes[edges[e].u].padded;
  }
  exactTables.assign(end, double(kHugeCost));
  fillTables(core);
  tables.assign(exactTables.begin(), exactTables.end());
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::vector<Neighbor> &list = nodes[i].neighbors;
    std::sort(list.begin(), list.end(),
              [](const Neighbor &a, const Neighbor &b) { return a.node < b.node; });
    nodes[i].earlier = static_cast<int>(std::count_if(
        list.begin(), list.end(), [&](const Neighbor &n) { return n.node < static_cast<int>(i); }));
  }
}

void FlatProblem::fillTables(const Core &core) {
  for (size_t e = 0; e < edges.size(); ++e) {
    const FlatNode &u = nodes[edges[e].u], &v = nodes[edges[e].v];
    for (int i = 0; i < u.size; ++i)
      for (int j = 0; j < v.size; ++j) {
        Cost cost = core.at(core.edges[edges[e].coreEdge], u.coreNode, i, j);
        double entry = cost >= kInfinite ? double(kHugeCost) : double(cost);
        exactTables[edges[e].uv + size_t(i) * v.padded + j] = entry;
        exactTables[edges[e].vu + size_t(j) * u.padded + i] = entry;
      }
    int index = static_cast<int>(e);
    nodes[edges[e].v].neighbors.push_back({edges[e].u, index, edges[e].vu, edges[e].uv});
    nodes[edges[e].u].neighbors.push_back({edges[e].v, index, edges[e].uv, edges[e].vu});
  }
}

} // namespace pcc::solve
