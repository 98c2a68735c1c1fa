// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy order by the size of the next table, with a priority queue. The neighbors of an eliminated
// node become adjacent. Sizes are logarithms, because products of many option counts overflow.
#include "passes/solve/strategy/reduce/Elimination.h"

#include <cmath>
#include <set>

namespace pcc::solve {

std::vector<int> eliminationOrder(const Core &core, double &entries) {
  size_t count = core.nodes.size();
  std::vector<std::set<int>> neighbors(count);
  for (const CoreEdge &edge : core.edges)
    if (!edge.isGone()) {
      neighbors[edge.u].insert(edge.v);
      neighbors[edge.v].insert(edge.u);
    }
  std::vector<double> key(count);
  auto keyOf = [&](int node) {
    if (node == core.kept)
      return std::numeric_limits<double>::infinity(); // last of all
    double logarithm = std::log(double(core.nodes[node].size()));
    for (int other : neighbors[node])
      logarithm += std::log(double(core.nodes[other].size()));
    return logarithm;
  };
  std::set<std::pair<double, int>> queue;
  for (size_t i = 0; i < count; ++i)
    if (!core.nodes[i].isGone())
      queue.emplace(key[i] = keyOf(static_cast<int>(i)), static_cast<int>(i));
  std::vector<int> order;
  entries = 0;
  while (!queue.empty()) {
    int node = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(node);
    entries += node == core.kept ? double(core.nodes[node].size()) : std::exp(key[node]);
    std::vector<int> around(neighbors[node].begin(), neighbors[node].end());
    if (entries > 1e15)
      return order; // too large: the rest of the order is not needed
    for (int a : around) {
      neighbors[a].erase(node);
      for (int b : around)
        if (a != b)
          neighbors[a].insert(b);
    }
    for (int a : around) {
      queue.erase({key[a], a});
      queue.emplace(key[a] = keyOf(a), a);
    }
  }
  return order;
}

} // namespace pcc::solve
