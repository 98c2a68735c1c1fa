// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removal of redundant edges, and of nodes that can be replaced by an edge.

#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

namespace {

/// Adds edge `from` to edge `into`, which joins the same nodes.
void addTable(Core &core, int into, int from) {
  CoreEdge &target = core.edges[into];
  const CoreEdge &source = core.edges[from];
  int width = core.nodes[target.v].size();
  for (size_t at = 0; at < target.table.size(); ++at)
    target.table[at] =
        add(target.table[at], core.at(source, target.u, int(at / width), int(at % width)));
  core.dropEdge(from);
}

/// Moves an edge's costs to its ends if every entry is a row value plus a column value. Returns
/// whether it did.
bool separate(Core &core, int index) {
  CoreEdge &edge = core.edges[index];
  CoreNode &u = core.nodes[edge.u], &v = core.nodes[edge.v];
  int width = v.size();
  Cost corner = edge.table[0];
  if (corner >= kInfinite)
    return false;
  for (size_t at = 0; at < edge.table.size(); ++at) {
    Cost row = edge.table[at - at % width], column = edge.table[at % width];
    if (edge.table[at] >= kInfinite || row >= kInfinite || column >= kInfinite ||
        edge.table[at] != row + column - corner)
      return false;
  }
  for (int i = 0; i < u.size(); ++i)
    u.costs[i] = add(u.costs[i], edge.table[size_t(i) * width]);
  for (int j = 0; j < width; ++j)
    v.costs[j] = add(v.costs[j], edge.table[j] - corner);
  core.dropEdge(index);
  core.normalize(core.edges[index].u);
  core.normalize(core.edges[index].v);
  return true;
}

/// Adds an edge between `a` and `b`, to an edge that joins them already if there is one. Chains
/// whose nodes all have an edge to one other node are thus eliminated in one go.
void addEdge(Core &core, int a, int b, std::vector<Cost> table) {
  int added = static_cast<int>(core.edges.size());
  bool isShorter = core.nodes[a].edges.size() < core.nodes[b].edges.size();
  const std::vector<int> &edges = core.nodes[isShorter ? a : b].edges;
  auto parallel = std::find_if(edges.begin(), edges.end(), [&](int e) {
    return core.edges[e].other(isShorter ? a : b) == (isShorter ? b : a);
  });
  int into = parallel == edges.end() ? -1 : *parallel;
  core.edges.push_back({a, b, std::move(table)});
  core.nodes[a].edges.push_back(added);
  core.nodes[b].edges.push_back(added);
  if (into >= 0)
    addTable(core, into, added);
}

/// Replaces a node by the cost of its best response to its one or two neighbors.
void eliminate(Core &core, int index) {
  CoreNode &node = core.nodes[index];
  Step step{Step::BestReply, index, -1, -1, 1, {}};
  std::vector<int> edges = node.edges;
  if (!edges.empty())
    step.a = core.edges[edges[0]].other(index);
  if (edges.size() > 1)
    step.b = core.edges[edges[1]].other(index);
  int rows = step.a >= 0 ? core.nodes[step.a].size() : 1;
  step.sizeOfB = step.b >= 0 ? core.nodes[step.b].size() : 1;
  std::vector<Cost> table(size_t(rows) * step.sizeOfB, kInfinite);
  step.map.assign(table.size(), 0);
  for (int i = 0; i < rows; ++i)
    for (int option = 0; option < node.size(); ++option) {
      Cost first = node.costs[option];
      if (step.a >= 0)
        first = add(first, core.at(core.edges[edges[0]], index, option, i));
      for (int j = 0; first < kInfinite && j < step.sizeOfB; ++j) {
        Cost sum =
            step.b >= 0 ? add(first, core.at(core.edges[edges[1]], index, option, j)) : first;
        size_t at = size_t(i) * step.sizeOfB + j;
        if (sum < table[at]) {
          table[at] = sum;
          step.map[at] = option;
        }
      }
    }
  for (int e : edges)
    core.dropEdge(e);
  node.costs.clear();
  if (step.b >= 0) {
    addEdge(core, step.a, step.b, std::move(table));
  } else if (step.a >= 0) {
    for (int i = 0; i < rows; ++i)
      core.nodes[step.a].costs[i] = add(core.nodes[step.a].costs[i], table[i]);
  } else {
    core.constant += table[0];
  }
  core.steps.push_back(std::move(step));
}

/// Whether the tables grow little: two edges of |a|·|v| and |b|·|v| become one of |a|·|b|.
bool isWorthwhile(const Core &core, int index) {
  const CoreNode &node = core.nodes[index];
  if (node.edges.size() < 2)
    return true;
  size_t a = core.nodes[core.edges[node.edges[0]].other(index)].size();
  size_t b = core.nodes[core.edges[node.edges[1]].other(index)].size();
  return a * b <= 4 * (a + b) * size_t(node.size()) || a * b <= 1024;
}

} // namespace

bool simplifyEdges(Core &core, std::vector<char> &dirty, const Stop &stop) {
  bool changed = false;
  std::vector<int> edgeTo(core.nodes.size(), -1);
  for (size_t i = 0; i < core.nodes.size() && !stop(); ++i) {
    std::vector<int> list = core.nodes[i].edges;
    for (int e : list) {
      int other = core.edges[e].other(static_cast<int>(i));
      if (edgeTo[other] < 0) {
        edgeTo[other] = e;
        continue;
      }
      addTable(core, edgeTo[other], e);
      changed = true;
      dirty[i] = dirty[other] = true;
    }
    for (int e : list)
      edgeTo[core.edges[e].other(static_cast<int>(i))] = -1;
  }
  for (size_t e = 0; e < core.edges.size() && !stop(); ++e)
    if (!core.edges[e].isGone() && separate(core, static_cast<int>(e)))
      changed = true, dirty[core.edges[e].u] = dirty[core.edges[e].v] = true;
  return changed;
}

bool eliminateLowDegree(Core &core, std::vector<char> &dirty, const Stop &stop) {
  bool changed = false;
  std::vector<int> queue;
  for (size_t i = 0; i < core.nodes.size(); ++i)
    queue.push_back(static_cast<int>(i));
  for (size_t next = 0; next < queue.size() && !stop(); ++next) {
    int index = queue[next];
    const CoreNode &node = core.nodes[index];
    if (node.isGone() || index == core.kept || node.edges.size() > 2 || !node.terms.empty() ||
        !isWorthwhile(core, index))
      continue;
    if (node.edges.size() == 2 &&
        core.edges[node.edges[0]].other(index) == core.edges[node.edges[1]].other(index))
      continue; // until the two edges are added up
    std::vector<int> neighbors;
    for (int e : node.edges)
      neighbors.push_back(core.edges[e].other(index));
    eliminate(core, index);
    changed = true;
    for (int neighbor : neighbors) {
      dirty[neighbor] = true;
      queue.push_back(neighbor);
      std::vector<Cost> &costs = core.nodes[neighbor].costs;
      if (*std::min_element(costs.begin(), costs.end()) >= kInfinite) {
        core.contradict(neighbor);
        return true;
      }
    }
  }
  return changed;
}

} // namespace pcc::solve
