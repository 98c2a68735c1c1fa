// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination order of the nodes of a block, and the nodes that keep their options.
//
//   a—b—c      b first: table over a, c      The node with the smallest table goes first. If even
//   |   |      a next:  table over c, d      that table is too large, a node of the table keeps
//   d———e      …                             its option and drops out of all tables.
//
// Sources: bucket elimination (Dechter, Bucket elimination: a unifying framework for reasoning,
// 1999); kept nodes (Dechter, Enhancement schemes for constraint processing, 1990). On whole
// training graphs, tables of a thousand entries leave out only every tenth node. A forest must
// leave out every second one.
#pragma once

#include "passes/solve/strategy/problem/FlatProblem.h"
#include "passes/solve/strategy/problem/Random.h"

namespace pcc::solve {

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
  /// node included. Random numbers choose among the nodes that can be left out.
  void find(const std::vector<int> &nodes, double largest, Random &random);

  bool isFree(int node) const { return place[node] >= 0 && !isKept[place[node]]; }

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
  void keepOne(int member, Random &random);
  void eliminate(int member);
  void update(int member);
  void link();

  const FlatProblem &flat;
  std::vector<int> place;   ///< by node: position in `members`, or −1
  std::vector<char> isKept; ///< by member: whether it keeps its option
  std::vector<char> isGone;
  std::vector<std::vector<int>> adjacent; ///< by member: neighbors, ascending
  std::vector<double> table; ///< by member: entries of the table that its elimination would create
  std::vector<std::pair<double, int>> queue; ///< a heap; outdated entries are skipped
  std::vector<std::vector<int>> tablesAt; ///< by member: steps that have the member in their scope
  std::vector<int> merged;
};

} // namespace pcc::solve
