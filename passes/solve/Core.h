// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem while it is made smaller: nodes, edges and what they use, and the way back.
//
// Use is kept as terms. A node begins with one term, its live interval; a node into which others
// were merged has one for each interval of theirs. The least use of each term is moved into the
// fixed use of the core, so that the least use of every term is 0.
#pragma once

#include "passes/solve/StrategyProblem.h"
#include <algorithm>
#include <memory>

namespace pcc::solve {

/// Costs in a core: kForbidden and more became infinite, and sums stay below that.
using Cost = int64_t;
inline constexpr Cost kInfinite = int64_t{1} << 61;

/// Finite sums of a whole problem stay below this, or it is scaled down (Core::shift).
inline constexpr Cost kLargestSum = int64_t{1} << 60;

inline Cost add(Cost a, Cost b) { return a >= kInfinite || b >= kInfinite ? kInfinite : a + b; }

/// What each option of a node uses at the times begin ≤ t < end.
struct Term {
  int64_t begin = 0, end = 0;
  std::vector<int64_t> use;
};

struct CoreNode {
  std::vector<Cost> costs; ///< finite; empty once the node is gone
  std::vector<Term> terms; ///< none that is 0 for all options
  std::vector<int> edges;  ///< live ones

  int size() const { return static_cast<int>(costs.size()); }
  bool isGone() const { return costs.empty(); }
};

struct CoreEdge {
  int u = 0, v = 0;
  std::vector<Cost> table; ///< row-major, options(u) × options(v); empty once the edge is gone

  bool isGone() const { return table.empty(); }
  int other(int node) const { return node == u ? v : u; }
};

/// One reduction, as what it says about a node's option afterwards.
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

/// A change of the fixed use at a time.
struct UseChange {
  int64_t time = 0, change = 0;
};

/// How a larger core became a smaller one.
struct History {
  std::vector<Step> steps;
  std::vector<int> nodes; ///< the larger core's node for each node of the smaller one
  size_t size = 0;        ///< number of the larger core's nodes
  std::shared_ptr<const History> before;
};

struct Core {
  std::vector<CoreNode> nodes;
  std::vector<CoreEdge> edges;
  std::vector<UseChange> fixedUse;
  int64_t limit = 0;
  Int128 constant = 0;     ///< of every solution, besides the costs of nodes and edges
  int shift = 0;           ///< costs are floor(cost / 2^shift): 0 unless sums would overflow
  std::vector<Step> steps; ///< in the order in which they were made
  std::shared_ptr<const History> history; ///< of what was made before
  std::string contradiction;              ///< why there is no solution, if that was seen
  /// A node about each of whose options something is asked, or −1: reductions leave it there with
  /// all options of which they cannot say that nothing goes with them.
  int kept = -1;

  explicit Core(const StrategyProblem &problem);

  bool isContradictory() const { return !contradiction.empty(); }

  /// The entry for option i of `node` and option j of the other end.
  Cost at(const CoreEdge &edge, int node, int i, int j) const {
    return node == edge.u ? edge.table[size_t(i) * nodes[edge.v].size() + j]
                          : edge.table[size_t(j) * nodes[edge.v].size() + i];
  }

  /// Notes that no option of `node` is left.
  void contradict(int node);

  /// Takes `edge` out of both ends' lists.
  void dropEdge(int edge);

  /// Moves the least cost of `node` into the constant, and the least use of its terms into the
  /// fixed use; drops terms that became 0.
  void normalise(int node);

  /// Keeps the given options of `node`, in that order.
  void keepOptions(int node, const std::vector<int32_t> &kept);

  /// Numbers nodes and edges anew without those that are gone, in the same order. Copies of it
  /// share the steps so far.
  void compact();

  bool isEmpty() const {
    return std::all_of(nodes.begin(), nodes.end(), [](const CoreNode &n) { return n.isGone(); });
  }

  /// The solution of the given problem: `options` has one for each node that is not gone.
  StrategySolution expand(StrategySolution options) const;

  /// The other way over the last compaction: what a solution of the larger core was becomes one of
  /// this core. Options that are no longer there give way to the first.
  StrategySolution follow(StrategySolution options) const;
};

} // namespace pcc::solve
