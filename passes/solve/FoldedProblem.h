// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem in which the nodes of a class choose alike, as an instance.
//
//   cost of a class      of one node, times their number
//   use of a class       of one node, times the number of those that are live: where that changes,
//                        a new range begins
//   table of two classes the sum of the tables of all edges between their nodes
//   edges within a class costs: both ends have the same option
//
// With every node alone it is the whole problem. Then equal tables lie in one place: those of 96
// layers fit into a cache. Solutions of the folded problem are solutions of the whole one and cost
// the same; a solution with equal layers is one of the folded problem.
#pragma once

#include "passes/solve/Classes.h"
#include "passes/solve/Instance.h"

namespace pcc::solve {

/// Greater figures of the whole problem count as this much: sums of doubles stay exact, and a bound
/// is still one.
inline constexpr double kLargestFigure = 0x1p50;

/// Whether sums of the problem's uses stay below 2^61, as those of a folded one must.
bool isFoldable(const StrategyProblem &problem);

/// The times at which the limit can bind: something begins then, and something ends before more
/// begins. At other times no more is used than at a time beside them.
std::vector<int64_t> findBindingTimes(const StrategyProblem &problem);

/// What the edges between two classes are in the folded problem.
struct FoldedEdge {
  int edge = -1;         ///< of the instance; −1: within a class
  bool isTurned = false; ///< the edge's u is in the class of the instance's v
};

class FoldedProblem {
public:
  /// `problem` and `tables` live as long as this. `times` rise; uses at others do not count.
  FoldedProblem(const StrategyProblem &problem, const EdgeTables &tables, Classes classes,
                std::vector<int64_t> times);

  /// A solution of the whole problem, which may use too much at times that do not count.
  StrategySolution unfold(const std::vector<int32_t> &options) const;

  /// The options of the first node of each class.
  std::vector<int32_t> fold(const StrategySolution &solution) const;

  const StrategyProblem &problem;
  Classes classes;
  std::vector<int64_t> times; ///< of the instance's capacities
  Instance instance;
  Int128 constant = 0;           ///< what every solution costs beside the instance's figures
  std::vector<FoldedEdge> edges; ///< by edge of the problem
  std::vector<int> edgeCounts;   ///< by edge of the instance: how many of the problem's it is
};

} // namespace pcc::solve
