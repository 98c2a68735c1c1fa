// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aliases: if every option of u has exactly one finite partner in v, v is a function of u. Ops that
// take the sharding of their operand form long chains of aliases. Each round first resolves all
// aliases to their roots, so every table is rebuilt only once.

#include "passes/solve/strategy/reduce/Reduce.h"
#include <map>

namespace pcc::solve {

namespace {

class AliasRound {
public:
  AliasRound(Core &core, std::vector<char> &dirty)
      : core(core), dirty(dirty), parent(core.nodes.size(), -1), maps(core.nodes.size()) {}

  bool run() {
    for (size_t e = 0; e < core.edges.size(); ++e)
      if (!core.edges[e].isGone()) {
        const CoreEdge &edge = core.edges[e];
        follow(static_cast<int>(e), edge.u, edge.v) || follow(static_cast<int>(e), edge.v, edge.u);
      }
    if (followers.empty())
      return false;
    for (int node : followers)
      composeMap(node);
    for (int node : followers)
      moveNode(node);
    for (size_t e = 0; e < core.edges.size(); ++e)
      if (!core.edges[e].isGone())
        moveEdge(static_cast<int>(e));
    return true;
  }

private:
  int rootOf(int node) const {
    while (parent[node] >= 0)
      node = parent[node];
    return node;
  }

  /// Lets `v` follow `u` if v is a function of u and there is no conflict. Conflicts are: `v`
  /// already follows a node, or `u` follows `v`.
  bool follow(int index, int u, int v) {
    if (parent[v] >= 0 || rootOf(u) == v || v == core.kept)
      return false;
    const CoreEdge &edge = core.edges[index];
    std::vector<int32_t> map(core.nodes[u].size(), -1);
    for (int i = 0; i < core.nodes[u].size(); ++i) {
      for (int j = 0; j < core.nodes[v].size(); ++j)
        if (core.at(edge, u, i, j) < kInfinite) {
          if (map[i] >= 0)
            return false;
          map[i] = j;
        }
      if (map[i] < 0)
        return false;
    }
    parent[v] = u;
    maps[v] = std::move(map);
    followers.push_back(v);
    return true;
  }

  /// Composes the map with the parent's map, so that it maps the root's options.
  void composeMap(int node) {
    int up = parent[node];
    if (parent[up] < 0)
      return;
    composeMap(up);
    std::vector<int32_t> composed;
    for (int32_t option : maps[up])
      composed.push_back(maps[node][option]);
    maps[node] = std::move(composed);
    parent[node] = parent[up];
  }

  /// Adds the costs and terms of a follower to its root.
  void moveNode(int index) {
    CoreNode &node = core.nodes[index], &root = core.nodes[parent[index]];
    const std::vector<int32_t> &map = maps[index];
    sizes[index] = node.size();
    for (int i = 0; i < root.size(); ++i)
      root.costs[i] = add(root.costs[i], node.costs[map[i]]);
    for (const Term &term : node.terms) {
      auto same = std::find_if(root.terms.begin(), root.terms.end(), [&](const Term &other) {
        return other.begin == term.begin && other.end == term.end;
      });
      if (same == root.terms.end())
        same = root.terms.insert(same, {term.begin, term.end, std::vector<int64_t>(root.size())});
      for (int i = 0; i < root.size(); ++i)
        same->use[i] += term.use[map[i]];
    }
    node.costs.clear();
    node.terms.clear();
    dirty[parent[index]] = true;
    core.steps.push_back({Step::Follow, index, parent[index], -1, 1, map});
  }

  int sizeOf(int node) const {
    auto found = sizes.find(node);
    return found == sizes.end() ? core.nodes[node].size() : found->second;
  }

  /// Moves an edge from followers to their roots.
  void moveEdge(int index) {
    CoreEdge &edge = core.edges[index];
    bool uFollows = parent[edge.u] >= 0, vFollows = parent[edge.v] >= 0;
    if (!uFollows && !vFollows)
      return;
    int u = uFollows ? parent[edge.u] : edge.u, v = vFollows ? parent[edge.v] : edge.v;
    int width = sizeOf(edge.v);
    auto entry = [&](int i, int j) {
      int row = uFollows ? maps[edge.u][i] : i, column = vFollows ? maps[edge.v][j] : j;
      return edge.table[size_t(row) * width + column];
    };
    CoreNode &root = core.nodes[u];
    std::vector<Cost> table;
    if (u == v)
      for (int i = 0; i < root.size(); ++i)
        root.costs[i] = add(root.costs[i], entry(i, i));
    else
      for (int i = 0; i < root.size(); ++i)
        for (int j = 0; j < core.nodes[v].size(); ++j)
          table.push_back(entry(i, j));
    core.dropEdge(index);
    dirty[u] = dirty[v] = true;
    if (u == v)
      return;
    edge = {u, v, std::move(table)};
    core.nodes[u].edges.push_back(index);
    core.nodes[v].edges.push_back(index);
  }

  Core &core;
  std::vector<char> &dirty;
  std::vector<int> parent;
  std::vector<std::vector<int32_t>> maps; ///< of followers: from the root's options to their own
  std::vector<int> followers;
  std::map<int, int> sizes; ///< of followers, before they were moved
};

} // namespace

bool mergeAliases(Core &core, std::vector<char> &dirty, const Stop &stop) {
  return !stop() && AliasRound(core, dirty).run();
}

} // namespace pcc::solve
