// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The move of the search: the nodes of an induced forest are chosen anew all at once, the best for
// the rest as it is.
//
//   o   o—x—o          x: in the forest. A node may join if it has at most one neighbour there, so
//    \ /  |   \        that the forest has no cycles, whatever the graph; min-sum elimination from
//     x   x    x       the leaves then finds the best choice exactly (Pearl, Reverend Bayes on
//     |   |    |       inference engines, 1982).
//     o—x—o    o
//
// Forests of every size up to the whole graph are tried. The limit is met by prices on what is
// used, scaled by a factor that differs from move to move.
#pragma once

#include "passes/solve/Random.h"
#include "passes/solve/State.h"

namespace pcc::solve {

class Forest {
public:
  explicit Forest(const Instance &instance);

  /// What each option uses, at the prices at hand: one figure per option of each node.
  void setPrices(const std::vector<double> &prices);

  const std::vector<double> &optionPrices() const { return prices; }

  /// Grows a forest of up to `size` nodes from `root`; from new roots where it cannot grow on.
  void grow(int root, int size, Random &random);

  /// Prepares `choose`: what the options cost beside the fixed neighbours of the forest.
  void anchor(const State &state);

  /// The best choice of the forest's nodes at `factor` times the prices; only those that change.
  void choose(const State &state, double factor, Random &random,
              std::vector<std::pair<int, int32_t>> &changes);

  /// Keeps `node` at `option` in what follows; −1 frees it.
  void pin(int node, int32_t option) { pinnedNode = node, pinnedOption = option; }

  /// Table entries looked at since the beginning.
  uint64_t work = 0;

private:
  void join(int node, int parentPlace);

  const Instance &instance;
  std::vector<double> prices;                ///< by option
  std::vector<double> anchored, sums, reply; ///< by option; of one node
  std::vector<int> touching;                 ///< neighbours in the forest, by node
  std::vector<int> place;                    ///< in `members`, or −1, by node
  struct Member {
    int node = 0;
    int parent = -1; ///< its place
    const Neighbour *up = nullptr;
  };
  std::vector<Member> members;
  std::vector<std::pair<int, const Neighbour *>> border; ///< place of the parent, way to the child
  std::vector<int> touched;
  std::vector<int32_t> best;
  int pinnedNode = -1;
  int32_t pinnedOption = 0;
};

} // namespace pcc::solve
