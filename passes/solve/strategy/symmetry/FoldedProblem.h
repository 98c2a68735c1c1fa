// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem in which all nodes of a class have the same option, as a flat problem.
//
//   cost of a class      cost of one node, times the number of nodes
//   usage of a class     usage of one node, times the number of live nodes; a new range begins
//                        where that number changes
//   table of two classes sum of the tables of all edges between their nodes
//   edges within a class added to the cost of the class, as both ends have the same option
//
// With single-node classes it is the original problem. Then equal tables are stored once: the
// tables of 96 layers fit into a cache. Solutions of the folded problem are solutions of the
// original problem with the same cost. Conversely, a solution with equal layers is a solution of
// the folded problem.
#pragma once

#include "passes/solve/strategy/reduce/FlatProblem.h"
#include "passes/solve/strategy/symmetry/NodeClasses.h"

namespace pcc::solve {

/// Greater costs of the original problem count as this much. So sums of doubles stay exact, and
/// bounds stay valid.
inline constexpr double kLargestFigure = 0x1p50;

/// Whether sums of the problem's usages stay below 2^61, as a folded problem requires.
bool isFoldable(const StrategyProblem &problem);

/// Returns the times at which the limit can bind: a node begins there, and a node ends before the
/// next one begins. Usage at other times is no greater than at a time next to them.
std::vector<int64_t> findBindingTimes(const StrategyProblem &problem);

/// The place of a problem's edge in the folded problem.
struct FoldedEdge {
  int edge = -1;             ///< edge of the flat problem; −1: within a class
  bool isTransposed = false; ///< the edge's u is in the class of the flat problem's v
};

class FoldedProblem {
public:
  /// `problem` and `tables` must outlive this. `times` ascend; usage at other times is ignored.
  FoldedProblem(const StrategyProblem &problem, const EdgeTables &tables, NodeClasses classes,
                std::vector<int64_t> times);

  /// Returns a solution of the original problem. It may exceed the limit at ignored times.
  StrategySolution unfold(const std::vector<int32_t> &options) const;

  /// Returns the options of the first node of each class.
  std::vector<int32_t> fold(const StrategySolution &solution) const;

  const StrategyProblem &problem;
  NodeClasses classes;
  std::vector<int64_t> times; ///< times of the flat problem's capacities
  FlatProblem flat;
  Int128 constant = 0;           ///< cost of every solution besides the costs in the flat problem
  std::vector<FoldedEdge> edges; ///< by edge of the problem
  std::vector<int> edgeCounts; ///< by edge of the flat problem: number of the problem's edges in it
};

// Transfer of messages from a folded problem to one with finer classes.

/// Gives each edge of the problem its share of the message of its folded edge. `messages` belongs
/// to `coarse`; both have the layout of FlatEdge.
std::vector<float> carryMessages(const FoldedProblem &coarse, const std::vector<float> &messages,
                                 const FoldedProblem &fine);

} // namespace pcc::solve
