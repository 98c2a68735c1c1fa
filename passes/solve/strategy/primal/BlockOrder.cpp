// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy order of a bucket elimination (Moves.h) with a heap of table sizes; an outdated entry is
// skipped when it is popped. If the smallest table is too large, one of its nodes is conditioned:
// it keeps its option. link() then finds the inputs of each step.
#include "passes/solve/strategy/primal/Moves.h"

#include <functional>

namespace pcc::solve {

BlockOrder::BlockOrder(const FlatProblem &flat) : flat(flat), place(flat.nodes.size(), -1) {}

void BlockOrder::find(const std::vector<int> &nodes, double largest, Random &random) {
  start(nodes);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    auto [entries, member] = queue.back();
    queue.pop_back();
    if (isGone[member] || entries != table[member])
      continue;
    if (entries > largest)
      conditionOne(member, random);
    else
      eliminate(member);
  }
  link();
}

void BlockOrder::start(const std::vector<int> &nodes) {
  for (int node : members)
    place[node] = -1;
  members = nodes;
  size_t size = members.size();
  for (size_t m = 0; m < size; ++m)
    place[members[m]] = static_cast<int>(m);
  isConditioned.assign(size, false);
  isGone.assign(size, false);
  table.assign(size, 0);
  if (adjacent.size() < size) {
    adjacent.resize(size);
    tablesAt.resize(size);
  }
  queue.clear();
  count = 0;
  for (size_t m = 0; m < size; ++m) {
    adjacent[m].clear();
    tablesAt[m].clear();
    for (const Neighbor &neighbor : flat.nodes[members[m]].neighbors)
      if (place[neighbor.node] >= 0)
        adjacent[m].push_back(place[neighbor.node]);
    std::sort(adjacent[m].begin(), adjacent[m].end());
    work += flat.nodes[members[m]].neighbors.size();
  }
  for (size_t m = 0; m < size; ++m)
    update(static_cast<int>(m));
}

/// Recomputes the number of table entries for a member.
void BlockOrder::update(int member) {
  double entries = node(member).size;
  for (int other : adjacent[member])
    entries = std::min(entries * node(other).size, double(kHugeCost));
  if (entries == table[member])
    return;
  table[member] = entries;
  queue.emplace_back(entries, member);
  std::push_heap(queue.begin(), queue.end(), std::greater<>());
}

/// Lets a member or one of its neighbors keep its option. Members with many neighbors are
/// preferred.
void BlockOrder::conditionOne(int member, Random &random) {
  int chosen = member;
  double best = 0;
  auto consider = [&](int candidate) {
    double score = double(adjacent[candidate].size()) * (0.3 + random.unit());
    if (score > best && node(candidate).size > 1) {
      best = score;
      chosen = candidate;
    }
  };
  consider(member);
  for (int other : adjacent[member])
    consider(other);
  isConditioned[chosen] = isGone[chosen] = true;
  for (int other : adjacent[chosen]) {
    std::vector<int> &list = adjacent[other];
    list.erase(std::lower_bound(list.begin(), list.end(), chosen));
  }
  for (int other : adjacent[chosen])
    update(other);
}

/// Eliminates a member: its neighbors become neighbors of each other.
void BlockOrder::eliminate(int member) {
  isGone[member] = true;
  if (steps.size() <= count)
    steps.emplace_back();
  BlockStep &step = steps[count++];
  step.member = member;
  step.scope = adjacent[member];
  for (int other : step.scope) {
    merged.clear();
    std::set_union(adjacent[other].begin(), adjacent[other].end(), step.scope.begin(),
                   step.scope.end(), std::back_inserter(merged));
    std::erase_if(merged, [&](int one) { return one == other || one == member; });
    adjacent[other].swap(merged);
  }
  for (int other : step.scope)
    update(other);
  work += 100 + 4 * step.scope.size() * step.scope.size();
}

/// Determines the input tables and edges of each step, and the offsets of the tables.
void BlockOrder::link() {
  std::fill(isGone.begin(), isGone.end(), false);
  std::vector<char> isRead(count, false);
  entries = 0;
  auto waste = [&](int member) { return double(node(member).padded) / node(member).size; };
  for (size_t k = 0; k < count; ++k) {
    BlockStep &step = steps[k];
    step.inputs.clear();
    step.edges.clear();
    step.ends.clear();
    for (int input : tablesAt[step.member])
      if (!isRead[input]) {
        isRead[input] = true;
        step.inputs.push_back(input);
      }
    for (const Neighbor &neighbor : node(step.member).neighbors)
      if (isFree(neighbor.node) && !isGone[place[neighbor.node]]) {
        step.edges.push_back(&neighbor);
        step.ends.push_back(place[neighbor.node]);
      }
    isGone[step.member] = true;
    // Members of a scope may have been conditioned later.
    std::erase_if(step.scope, [&](int member) { return isConditioned[member]; });
    // The last member is the one that padding wastes least on.
    for (size_t s = 0; s + 1 < step.scope.size(); ++s)
      if (waste(step.scope[s]) < waste(step.scope.back()))
        std::swap(step.scope[s], step.scope.back());
    step.first = entries;
    if (!step.scope.empty())
      entries += stride(step.scope, 0) * node(step.scope[0]).padded;
    for (int member : step.scope)
      tablesAt[member].push_back(static_cast<int>(k));
  }
}

size_t BlockOrder::stride(const std::vector<int> &scope, size_t position) const {
  size_t result = 1;
  for (size_t s = position + 1; s < scope.size(); ++s)
    result *= s + 1 == scope.size() ? node(scope[s]).padded : node(scope[s]).size;
  return result;
}

} // namespace pcc::solve
