// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental evaluation. A changed node adds the differences between two rows of each of its
// edges. Changes of usage are stored at the ends of their segment ranges and summed once per
// change.
#include "passes/solve/strategy/reduce/State.h"

#include <cmath>

namespace pcc::solve {

std::vector<int64_t> useOf(const FlatProblem &flat, const std::vector<int32_t> &options) {
  // Adds differences first, because ranges are long.
  std::vector<int64_t> use(flat.capacities.size() + 1, 0);
  for (size_t i = 0; i < flat.nodes.size(); ++i)
    for (const SegmentUse &range : flat.nodes[i].uses) {
      use[range.first] += range.use[options[i]];
      use[range.last] -= range.use[options[i]];
    }
  for (size_t s = 1; s < use.size(); ++s)
    use[s] += use[s - 1];
  use.pop_back();
  return use;
}

double costOf(const FlatProblem &flat, const std::vector<int32_t> &options) {
  double total = 0;
  for (size_t i = 0; i < flat.nodes.size(); ++i)
    total += flat.costs[flat.nodes[i].first + options[i]];
  for (const FlatEdge &edge : flat.edges)
    total += flat.exactTables[edge.uv + size_t(options[edge.u]) * flat.nodes[edge.v].padded +
                              options[edge.v]];
  return total;
}

static int64_t above(int64_t use, int64_t capacity) { return std::max<int64_t>(use - capacity, 0); }

State::State(const FlatProblem &flat, std::vector<int32_t> options)
    : flat(&flat), chosen(std::move(options)), use(useOf(flat, chosen)),
      difference(use.size() + 1, 0), total(costOf(flat, chosen)) {
  for (size_t s = 0; s < use.size(); ++s)
    excess += double(above(use[s], flat.capacities[s]));
}

void State::changeCost(int index, int32_t option) {
  const FlatNode &node = flat->nodes[index];
  int32_t old = chosen[index];
  double change = flat->costs[node.first + option] - flat->costs[node.first + old];
  for (const Neighbor &neighbor : node.neighbors) {
    const double *row =
        &flat->exactTables[neighbor.in] + size_t(chosen[neighbor.node]) * node.padded;
    change += row[option] - row[old];
  }
  total += change;
  isRounded |= std::abs(change) >= double(kHugeCost) / 2;
  for (const SegmentUse &range : node.uses) {
    int64_t more = range.use[option] - range.use[old];
    if (more == 0)
      continue;
    difference[range.first] += more;
    difference[range.last] -= more;
    low = std::min(low, range.first);
    high = std::max(high, range.last);
  }
  chosen[index] = option;
  lastWork += node.neighbors.size() + node.uses.size();
}

void State::change(const std::vector<std::pair<int, int32_t>> &changes) {
  if (low < high)
    std::fill(difference.begin() + low, difference.begin() + high + 1, 0);
  undoing.clear();
  undoTotal = total;
  undoExcess = excess;
  low = static_cast<int>(use.size());
  high = 0;
  lastWork = 0;
  isRounded = total >= double(kHugeCost) / 2;
  for (auto [node, option] : changes) {
    undoing.emplace_back(node, chosen[node]);
    changeCost(node, option);
  }
  // Rounding destroys sums that contained a forbidden entry, even temporarily.
  if (isRounded)
    total = costOf(*flat, chosen);
  lastWork += size_t(std::max(high - low, 0)) / 4;
  int64_t running = 0;
  double more = 0;
  for (int s = low; s < high; ++s) {
    running += difference[s];
    int64_t before = use[s];
    use[s] += running;
    more += double(above(use[s], flat->capacities[s]) - above(before, flat->capacities[s]));
  }
  excess += more;
}

void State::undo() {
  int64_t running = 0;
  for (int s = low; s < high; ++s) {
    running += difference[s];
    use[s] -= running;
  }
  for (auto [node, option] : undoing)
    chosen[node] = option;
  total = undoTotal;
  excess = undoExcess;
  undoing.clear();
}

} // namespace pcc::solve
