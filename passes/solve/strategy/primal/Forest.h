// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forest move of the local search: optimizes all nodes of an induced forest at once, while all
// other nodes keep their options.
//
//   o   o—x—o          x: in the forest. A node may join if it has at most one neighbor there, so
//    \ /  |   \        the forest never has a cycle. Min-sum elimination from the leaves then finds
//     x   x    x       the exact best choice (Pearl, Reverend Bayes on inference engines, 1982).
//     |   |    |
//     o—x—o    o
//
// Forests of all sizes up to the whole graph are tried. Prices on usage enforce the limit. They are
// scaled by a factor that differs from move to move.
#pragma once

#include "passes/solve/strategy/problem/Random.h"
#include "passes/solve/strategy/problem/State.h"

namespace pcc::solve {

class Forest {
public:
  explicit Forest(const FlatProblem &flat);

  /// Computes the price of each option's usage from `prices` by segment.
  void setPrices(const std::vector<double> &prices);

  const std::vector<double> &optionPrices() const { return prices; }

  /// Grows a forest of up to `size` nodes from `root`, and from new roots where it cannot grow
  /// further.
  void grow(int root, int size, Random &random);

  /// Prepares `choose`: computes the costs of the options next to the fixed neighbors of the
  /// forest.
  void anchor(const State &state);

  /// Computes the best options of the forest's nodes at `factor` times the prices. Returns only the
  /// nodes that change.
  void choose(const State &state, double factor, Random &random,
              std::vector<std::pair<int, int32_t>> &changes);

  /// Keeps `node` at `option` from now on. A node of −1 removes the restriction.
  void fix(int node, int32_t option) { fixedNode = node, fixedOption = option; }

  /// Table entries read since construction.
  uint64_t work = 0;

private:
  void join(int node, int parentPlace);

  const FlatProblem &flat;
  std::vector<double> prices;                ///< by option
  std::vector<double> anchored, sums, reply; ///< by option; reply: of one node
  std::vector<int> touching;                 ///< by node: number of neighbors in the forest
  std::vector<int> place;                    ///< by node: position in `members`, or −1
  struct Member {
    int node = 0;
    int parent = -1; ///< position in `members`
    const Neighbor *up = nullptr;
  };
  std::vector<Member> members;
  std::vector<std::pair<int, const Neighbor *>> border; ///< parent's position, edge to child
  std::vector<int> touched;
  std::vector<int32_t> best;
  int fixedNode = -1;
  int32_t fixedOption = 0;
};

} // namespace pcc::solve
