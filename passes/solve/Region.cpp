// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Region.h"

#include "passes/solve/MinPlus.h"

namespace pcc::solve {

Region::Region(const Instance &instance)
    : instance(instance), isMember(instance.nodes.size(), false), anchored(instance.options, 0),
      messages(instance.messages, 0), decided(instance.nodes.size(), 0) {
  int longest = 0;
  for (const InstanceNode &node : instance.nodes)
    longest = std::max(longest, node.padded);
  sum.resize(longest);
  left.resize(longest);
}

size_t Region::messageTo(int edge, int node) const {
  const InstanceEdge &at = instance.edges[edge];
  return node == at.v ? at.message : at.backward;
}

void Region::grow(int root, int size, Random &random) {
  for (int member : members)
    isMember[member] = false;
  members = {root};
  isMember[root] = true;
  std::vector<int> border;
  auto addNeighbours = [&](int node) {
    for (const Neighbour &neighbour : instance.nodes[node].neighbours)
      if (!isMember[neighbour.node])
        border.push_back(neighbour.node);
    work += instance.nodes[node].neighbours.size();
  };
  addNeighbours(root);
  while (static_cast<int>(members.size()) < size && !border.empty()) {
    size_t pick = random.below(static_cast<uint32_t>(border.size()));
    int node = border[pick];
    border[pick] = border.back();
    border.pop_back();
    if (isMember[node])
      continue;
    isMember[node] = true;
    members.push_back(node);
    addNeighbours(node);
  }
  std::sort(members.begin(), members.end());
}

void Region::anchor(const State &state, const std::vector<double> &prices, double factor) {
  for (int index : members) {
    const InstanceNode &node = instance.nodes[index];
    double *own = &anchored[node.first];
    for (int i = 0; i < node.padded; ++i)
      own[i] = instance.costs[node.first + i] + factor * prices[node.first + i];
    for (const Neighbour &neighbour : node.neighbours) {
      if (isMember[neighbour.node]) {
        double *message = &messages[messageTo(neighbour.edge, index)];
        std::fill(message, message + node.padded, 0.0);
        continue;
      }
      const double *row =
          &instance.exactTables[neighbour.in] + size_t(state[neighbour.node]) * node.padded;
      for (int i = 0; i < node.padded; ++i)
        own[i] += row[i];
    }
    work += node.neighbours.size() * node.padded;
  }
}

void Region::addMessages(int index, double *into) const {
  const InstanceNode &node = instance.nodes[index];
  for (int i = 0; i < node.padded; ++i)
    into[i] = anchored[node.first + i];
  for (const Neighbour &neighbour : node.neighbours) {
    if (!isMember[neighbour.node])
      continue;
    const double *message = &messages[messageTo(neighbour.edge, index)];
    for (int i = 0; i < node.padded; ++i)
      into[i] += message[i];
  }
}

void Region::sweep(bool forward) {
  for (size_t m = 0; m < members.size(); ++m) {
    int index = forward ? members[m] : members[members.size() - 1 - m];
    const InstanceNode &node = instance.nodes[index];
    addMessages(index, sum.data());
    int earlier = 0, later = 0;
    for (const Neighbour &neighbour : node.neighbours)
      if (isMember[neighbour.node])
        ++(neighbour.node < index ? earlier : later);
    double share = 1.0 / std::max({earlier, later, 1});
    for (const Neighbour &neighbour : node.neighbours) {
      if (!isMember[neighbour.node] || (neighbour.node > index) != forward)
        continue;
      const double *reverse = &messages[messageTo(neighbour.edge, index)];
      for (int i = 0; i < node.padded; ++i)
        left[i] = share * sum[i] - reverse[i];
      const InstanceNode &other = instance.nodes[neighbour.node];
      double *message = &messages[messageTo(neighbour.edge, neighbour.node)];
      minPlus(left.data(), &instance.exactTables[neighbour.out], node.size, other.padded, message);
      double low = *std::min_element(message, message + other.size);
      for (int i = 0; i < other.padded; ++i)
        message[i] -= low;
      work += size_t(node.size) * other.padded;
    }
  }
}

void Region::choose(const State &state, int sweeps, std::vector<std::pair<int, int32_t>> &changes) {
  for (int i = 0; i < sweeps; ++i) {
    sweep(true);
    sweep(false);
  }
  // Forward: what is decided counts by its table, what is not by its message.
  changes.clear();
  for (int index : members) {
    const InstanceNode &node = instance.nodes[index];
    for (int i = 0; i < node.padded; ++i)
      sum[i] = anchored[node.first + i];
    for (const Neighbour &neighbour : node.neighbours) {
      if (!isMember[neighbour.node])
        continue;
      const double *terms =
          neighbour.node < index
              ? &instance.exactTables[neighbour.in] + size_t(decided[neighbour.node]) * node.padded
              : &messages[messageTo(neighbour.edge, index)];
      for (int i = 0; i < node.padded; ++i)
        sum[i] += terms[i];
    }
    decided[index] = argMin(sum.data(), node.size);
    if (decided[index] != state[index])
      changes.emplace_back(index, decided[index]);
  }
}

} // namespace pcc::solve
