// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves of the local search. Each optimizes many nodes at once, while all other nodes keep their
// options: the forest move a set of nodes without cycles, the block move a set with cycles.
// BlockOrder gives the elimination order of a block.
//
// A block is a connected part of the graph, or the set of nodes in which two solutions differ. In
// the second case the move combines the two solutions, and its nodes may also take other options.
#pragma once

#include "passes/solve/strategy/problem/Random.h"
#include "passes/solve/strategy/reduce/FlatProblem.h"
#include "passes/solve/strategy/reduce/State.h"

namespace pcc::solve {

/// Forest move of the local search: optimizes all nodes of an induced forest at once, while all
/// other nodes keep their options.
///
///   o   o—x—o          x: in the forest. A node may join if it has at most one neighbor
///    \ /  |   \        there, so the forest never has a cycle. Min-sum elimination from
///     x   x    x       the leaves then finds the exact best choice (Pearl, Reverend
///     |   |    |       Bayes on inference engines, 1982).
///     o—x—o    o
///
/// Forests of all sizes up to the whole graph are tried. Prices on usage enforce the limit. They
/// are scaled by a factor that differs from move to move.
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

// Elimination order of the nodes of a block, and the nodes that keep their options.
//
//   a—b—c      b first: table over a, c      The node with the smallest table goes first. If even
//   |   |      a next:  table over c, d      that table is too large, a node of the table keeps
//   d———e      …                             its option and drops out of all tables.
//
// Such a node is called conditioned. Sources: bucket elimination (Dechter, Bucket elimination: a
// unifying framework for reasoning, 1999); conditioned nodes (Dechter, Enhancement schemes for
// constraint processing, 1990). On whole training graphs, tables of a thousand entries condition
// only every tenth node. A forest must leave out every second one.

/// Elimination of one node: the minimal cost of the node and its inputs becomes a table over
/// `scope`. Nodes are given by their positions in BlockOrder::members.
struct BlockStep {
  int member = 0;
  std::vector<int> scope;              ///< the last node is contiguous and padded
  std::vector<int> inputs;             ///< steps whose tables are inputs of this one
  std::vector<const Neighbor *> edges; ///< edges to members of the scope
  std::vector<int> ends;               ///< the other ends of `edges`
  size_t first = 0;                    ///< offset of the table in the array of all entries
};

class BlockOrder {
public:
  explicit BlockOrder(const FlatProblem &flat);

  /// Orders `nodes`. No table has more than about `largest` entries, the options of the eliminated
  /// node included. Random numbers choose among the nodes that could be conditioned.
  void find(const std::vector<int> &nodes, double largest, Random &random);

  /// Whether `node` is in the block and not conditioned on its option.
  bool isFree(int node) const { return place[node] >= 0 && !isConditioned[place[node]]; }

  const FlatNode &node(int member) const { return flat.nodes[members[member]]; }

  /// Distance between two entries of a table over `scope` that differ by one option of the scope's
  /// node at `position`.
  size_t stride(const std::vector<int> &scope, size_t position) const;

  std::vector<int> members;
  std::vector<BlockStep> steps; ///< only the first `count` are valid
  size_t count = 0;
  size_t entries = 0; ///< sum over all tables
  uint64_t work = 0;  ///< since construction, in table entries

private:
  void start(const std::vector<int> &nodes);
  void conditionOne(int member, Random &random);
  void eliminate(int member);
  void update(int member);
  void link();

  const FlatProblem &flat;
  std::vector<int> place;          ///< by node: position in `members`, or −1
  std::vector<char> isConditioned; ///< by member: whether it keeps its option
  std::vector<char> isGone;
  std::vector<std::vector<int>> adjacent; ///< by member: neighbors, ascending
  std::vector<double> table; ///< by member: entries of the table that its elimination would create
  std::vector<std::pair<double, int>> queue; ///< a heap; outdated entries are skipped
  std::vector<std::vector<int>> tablesAt; ///< by member: steps that have the member in their scope
  std::vector<int> merged;
};

class Block {
public:
  explicit Block(const FlatProblem &flat);

  /// Selects a connected block of up to `size` nodes around `root`. Tables have up to `largest`
  /// entries. Nodes whose elimination needs larger tables keep their options.
  void grow(int root, int size, double largest, Random &random);

  /// Selects the given nodes.
  void take(const std::vector<int> &nodes, double largest, Random &random);

  /// Prepares `choose`: computes the costs of the options next to the nodes that stay as they are.
  void anchor(const State &state);

  /// Computes the best options of the block's nodes; usage costs `factor` times `prices` (by
  /// option). Returns only the nodes that change.
  void choose(const State &state, const std::vector<double> &prices, double factor, Random &random,
              std::vector<std::pair<int, int32_t>> &changes);

  /// Table entries read since construction.
  uint64_t work() const { return tableWork + order.work; }

private:
  /// An edge or table that is added into another table: the current entry, and the strides to the
  /// next option of each node.
  struct Input {
    const double *at = nullptr;
    size_t own = 0;              ///< stride of the eliminated node
    size_t last = 0;             ///< stride of the scope's last node: 1 if a row, 0 if constant
    std::vector<size_t> strides; ///< strides of the other nodes in the scope
  };

  void collect(const BlockStep &step);
  void fill(const BlockStep &step);
  void fillRow(const BlockStep &step, double *out, int width);
  void addAlong(const Input &input, size_t offset, int size);
  void addReplies(const BlockStep &step, double *values) const;

  const FlatProblem &flat;
  BlockOrder order;
  std::vector<double> anchored, sums; ///< by option
  std::vector<double> tables;
  std::vector<Input> inputs; ///< only the first `inputCount` are valid
  size_t inputCount = 0;
  std::vector<double> row; ///< sums along the options of the last node
  std::vector<int> digits;
  std::vector<int32_t> chosen; ///< by member
  uint64_t tableWork = 0;
};

} // namespace pcc::solve
