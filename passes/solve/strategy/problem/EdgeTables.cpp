// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/problem/EdgeTables.h"

#include <map>
#include <unordered_map>

namespace pcc::solve {

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
