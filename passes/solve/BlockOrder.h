// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order the nodes of a block are eliminated, and which of them are not.
//
//   a—b—c      b goes: a table over a, c        The node whose table is smallest goes first. Where
//   |   |      a goes: a table over c, d        even that one is too large, a node of it keeps its
//   d———e      …                                option instead, and no table has it any more.
//
// (Bucket elimination: Dechter, Bucket elimination: a unifying framework for reasoning, 1999;
// keeping some nodes: Dechter, Enhancement schemes for constraint processing, 1990.) Of whole
// training graphs tables of a thousand entries leave out every tenth node only, where a forest must
// leave out every second one.
#pragma once

#include "passes/solve/Instance.h"
#include "passes/solve/Random.h"

namespace pcc::solve {

/// A node goes: what it and all that went into it cost at best becomes a table over `scope`. Nodes
/// are meant by their places in BlockOrder::members.
struct BlockStep {
  int member = 0;
  std::vector<int> scope;               ///< the last one counts fastest, padded
  std::vector<int> inputs;              ///< steps whose tables go into this one
  std::vector<const Neighbour *> edges; ///< to members of the scope
  std::vector<int> ends;                ///< of `edges`
  size_t first = 0;                     ///< of the table's entries among all
};

class BlockOrder {
public:
  explicit BlockOrder(const Instance &instance);

  /// Orders `nodes`; no table has more than about `largest` entries, those of the node that goes
  /// included. Chance decides among the nodes that could be left out.
  void find(const std::vector<int> &nodes, double largest, Random &random);

  bool isFree(int node) const { return place[node] >= 0 && !isKept[place[node]]; }

  const InstanceNode &node(int member) const { return instance.nodes[members[member]]; }

  /// Of the entries of a table over `scope`, how far apart two are that differ by one option of the
  /// scope's node at `position`.
  size_t stride(const std::vector<int> &scope, size_t position) const;

  std::vector<int> members;
  std::vector<BlockStep> steps; ///< the first `count` count
  size_t count = 0;
  size_t entries = 0; ///< of all tables
  uint64_t work = 0;  ///< since the beginning, in table entries

private:
  void start(const std::vector<int> &nodes);
  void keepOne(int member, Random &random);
  void eliminate(int member);
  void update(int member);
  void link();

  const Instance &instance;
  std::vector<int> place;   ///< in members, or −1, by node
  std::vector<char> isKept; ///< by member: keeps its option
  std::vector<char> isGone;
  std::vector<std::vector<int>> adjacent;    ///< by member; rising
  std::vector<double> table;                 ///< entries that it would leave, by member
  std::vector<std::pair<double, int>> queue; ///< a heap; outdated entries are passed over
  std::vector<std::vector<int>> tablesAt;    ///< by member: steps with it in their scope
  std::vector<int> merged;
};

} // namespace pcc::solve
