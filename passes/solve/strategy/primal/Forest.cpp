// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grows a random induced forest and optimizes it. Members are listed in the order in which they
// join, so a parent comes before its children. One pass in reverse order sends min-sum messages to
// the parents; a second pass in order picks the options.
#include "passes/solve/strategy/primal/Moves.h"

#include "passes/solve/strategy/bounds/MessagePassing.h"
#include "passes/solve/strategy/bounds/MinPlus.h"

namespace pcc::solve {

Forest::Forest(const FlatProblem &flat)
    : flat(flat), prices(flat.options, 0), anchored(flat.options, 0), sums(flat.options, 0),
      touching(flat.nodes.size(), 0), place(flat.nodes.size(), -1) {
  int longest = 0;
  for (const FlatNode &node : flat.nodes)
    longest = std::max(longest, node.padded);
  reply.resize(longest);
}

void Forest::setPrices(const std::vector<double> &bySegment) {
  std::vector<double> prefix = prefixSums(bySegment);
  for (const FlatNode &node : flat.nodes)
    for (int i = 0; i < node.size; ++i)
      prices[node.first + i] = priceOfUsage(node, i, prefix);
}

void Forest::join(int index, int parentPlace) {
  int at = static_cast<int>(members.size());
  place[index] = at;
  members.push_back({index, parentPlace, nullptr});
  for (const Neighbor &neighbor : flat.nodes[index].neighbors) {
    if (touching[neighbor.node]++ == 0) {
      touched.push_back(neighbor.node);
      border.emplace_back(at, &neighbor);
    }
    if (place[neighbor.node] == parentPlace && parentPlace >= 0)
      members[at].up = &neighbor;
  }
  work += flat.nodes[index].neighbors.size();
}

void Forest::grow(int root, int size, Random &random) {
  for (int node : touched)
    touching[node] = 0;
  for (const Member &member : members) {
    place[member.node] = -1;
    touching[member.node] = 0;
  }
  touched.clear();
  members.clear();
  border.clear();
  join(root, -1);
  int count = static_cast<int>(flat.nodes.size());
  // Allows enough attempts to find new roots while they are frequent, but not more.
  for (int misses = 0; static_cast<int>(members.size()) < size && misses < 50;) {
    if (border.empty()) {
      int next = static_cast<int>(random.below(count));
      if (place[next] < 0 && touching[next] == 0)
        join(next, -1);
      else
        ++misses;
      continue;
    }
    size_t pick = random.below(static_cast<uint32_t>(border.size()));
    auto [parent, way] = border[pick];
    border[pick] = border.back();
    border.pop_back();
    if (place[way->node] < 0 && touching[way->node] == 1)
      join(way->node, parent);
  }
}

void Forest::anchor(const State &state) {
  for (const Member &member : members) {
    const FlatNode &node = flat.nodes[member.node];
    double *own = &anchored[node.first];
    const double *costs = &flat.costs[node.first];
    for (int i = 0; i < node.padded; ++i)
      own[i] = costs[i];
    for (const Neighbor &neighbor : node.neighbors) {
      if (place[neighbor.node] >= 0)
        continue;
      const double *row =
          &flat.exactTables[neighbor.in] + size_t(state[neighbor.node]) * node.padded;
      for (int i = 0; i < node.padded; ++i)
        own[i] += row[i];
    }
    if (member.node == fixedNode)
      for (int i = 0; i < node.size; ++i)
        own[i] += i == fixedOption ? 0 : double(kHugeCost);
    work += node.neighbors.size() * node.padded;
  }
}

void Forest::choose(const State &state, double factor, Random &random,
                    std::vector<std::pair<int, int32_t>> &changes) {
  for (const Member &member : members) {
    const FlatNode &node = flat.nodes[member.node];
    for (int i = 0; i < node.padded; ++i)
      sums[node.first + i] = anchored[node.first + i] + factor * prices[node.first + i];
  }
  for (size_t m = members.size(); m-- > 0;) {
    const Member &member = members[m];
    if (member.parent < 0)
      continue;
    const FlatNode &node = flat.nodes[member.node];
    const FlatNode &parent = flat.nodes[members[member.parent].node];
    minPlus(&sums[node.first], &flat.exactTables[member.up->out], node.size, parent.padded,
            reply.data());
    double *into = &sums[parent.first];
    for (int i = 0; i < parent.padded; ++i)
      into[i] += reply[i];
    work += size_t(node.size) * parent.padded;
  }
  changes.clear();
  best.resize(members.size());
  for (size_t m = 0; m < members.size(); ++m) {
    const Member &member = members[m];
    const FlatNode &node = flat.nodes[member.node];
    double *values = &sums[node.first];
    if (member.parent >= 0) {
      const double *row =
          &flat.exactTables[member.up->in] + size_t(best[member.parent]) * node.padded;
      for (int i = 0; i < node.size; ++i)
        values[i] += row[i];
    }
    best[m] = randomArgMin(values, node.size, random);
    if (best[m] != state[member.node])
      changes.emplace_back(member.node, best[m]);
  }
}

} // namespace pcc::solve
