// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem during reductions: its nodes, edges and usage, and the steps that map solutions back.
//
// Usage is stored as terms. A node starts with one term, its live interval. A node into which
// others were merged has a term for each of their intervals. The minimum usage of each term is
// moved into the core's fixed usage, so the minimum of every term is 0.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"
#include <algorithm>
#include <memory>

namespace pcc::solve {

/// Cost in a core. Costs of at least kForbidden become kInfinite; finite sums stay below that.
using Cost = int64_t;
inline constexpr Cost kInfinite = int64_t{1} << 61;

/// Finite sums of a whole problem stay below this; otherwise costs are scaled down (Core::shift).
inline constexpr Cost kLargestSum = int64_t{1} << 60;

inline Cost add(Cost a, Cost b) { return a >= kInfinite || b >= kInfinite ? kInfinite : a + b; }

/// Usage of each option of a node at the times begin ≤ t < end.
struct Term {
  int64_t begin = 0, end = 0;
  std::vector<int64_t> use;
};

struct CoreNode {
  std::vector<Cost> costs; ///< finite; empty once the node is removed
  std::vector<Term> terms; ///< none is 0 for all options
  std::vector<int> edges;  ///< edges that are not removed

  int size() const { return static_cast<int>(costs.size()); }
  bool isGone() const { return costs.empty(); }
};

struct CoreEdge {
  int u = 0, v = 0;
  std::vector<Cost> table; ///< row-major, options(u) × options(v); empty once the edge is removed

  bool isGone() const { return table.empty(); }
  int other(int node) const { return node == u ? v : u; }
};

/// One reduction, as the rule that gives a node's option from later ones.
struct Step {
  enum Kind {
    Keep,     ///< option i of `node` was option map[i]
    Follow,   ///< `node` has option map[option of a]
    BestReply ///< `node` has option map[option of a · size(b) + option of b]; b may be absent (−1)
  };
  Kind kind = Keep;
  int node = 0, a = -1, b = -1, sizeOfB = 1;
  std::vector<int32_t> map;
};

/// A change of the fixed usage at a time.
struct UseChange {
  int64_t time = 0, change = 0;
};

/// The mapping from a smaller core back to a larger one.
struct History {
  std::vector<Step> steps;
  std::vector<int> nodes; ///< for each node of the smaller core, the node of the larger core
  size_t size = 0;        ///< number of nodes of the larger core
  std::shared_ptr<const History> before;
};

struct Core {
  std::vector<CoreNode> nodes;
  std::vector<CoreEdge> edges;
  std::vector<UseChange> fixedUse;
  int64_t limit = 0;
  Int128 constant = 0; ///< cost of every solution, besides the costs of nodes and edges
  int shift = 0;       ///< costs are floor(cost / 2^shift); 0 unless sums would overflow
  std::shared_ptr<const std::vector<std::string>> names; ///< by node of the problem, for messages
  std::vector<Step> steps;                               ///< in the order in which they were made
  std::shared_ptr<const History> history;                ///< earlier steps
  std::string contradiction; ///< reason why there is no solution, if known
  /// The kept node: a node whose options are all needed; −1 for none. Reductions do not remove it.
  /// They remove only options of it that no choice of the other nodes allows.
  int kept = -1;

  explicit Core(const StrategyProblem &problem);

  bool isContradictory() const { return !contradiction.empty(); }

  /// Returns the entry for option i of `node` and option j of the other end.
  Cost at(const CoreEdge &edge, int node, int i, int j) const {
    return node == edge.u ? edge.table[size_t(i) * nodes[edge.v].size() + j]
                          : edge.table[size_t(j) * nodes[edge.v].size() + i];
  }

  /// Sets the contradiction: no option of `node` is left. Names the node of the problem.
  void contradict(int node);

  /// Removes `edge` from the lists of both ends.
  void dropEdge(int edge);

  /// Moves the minimum cost of `node` into the constant, and the minimum usage of its terms into
  /// the fixed usage. Drops terms that became 0.
  void normalize(int node);

  /// Keeps the given options of `node`, in that order.
  void keepOptions(int node, const std::vector<int32_t> &kept);

  /// Renumbers nodes and edges in the same order, without the removed ones. Copies of the core
  /// share the steps so far.
  void compact();

  bool isEmpty() const {
    return std::all_of(nodes.begin(), nodes.end(), [](const CoreNode &n) { return n.isGone(); });
  }

  /// Returns the solution of the original problem. `options` has one option for each remaining
  /// node.
  StrategySolution expand(StrategySolution options) const;

  /// Maps a solution of the core before the last compaction to this core. Removed options are
  /// replaced by the first option.
  StrategySolution project(StrategySolution options) const;
};

} // namespace pcc::solve
