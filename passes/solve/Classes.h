// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that shall choose alike.
//
//   layer 1   a — b — c                       classes that look two edges far:
//   layer 2       a — b — c                   the first layers and the last ones differ from those
//   …                 …                       between, since they see an end; all a's between are
//   layer 96              a — b — c           one class, all b's another, …
//
// Colour refinement (Weisfeiler and Leman, The reduction of a graph to canonical form, 1968), cut
// off after a few rounds: a node's colour is what it costs and uses, and the colours of what it
// meets over which tables. Nothing hangs on it but how good the folded problem is: any partition
// of nodes with equal costs and uses gives solutions and bounds that hold.
#pragma once

#include "passes/solve/EdgeTables.h"

namespace pcc::solve {

/// Fewer of a thing are no repetition.
inline constexpr size_t fewestCopies = 4;

/// A partition of a problem's nodes. Those of a class have equal costs and uses.
struct Classes {
  std::vector<int> of; ///< by node; classes are numbered in the order of their first nodes
  int count = 0;

  /// The nodes of each class, in order.
  std::vector<std::vector<int>> members() const;
};

/// Each node alone.
Classes singleClasses(const StrategyProblem &problem);

/// Splits classes: nodes stay together that have the same `mark`.
Classes split(const Classes &classes, const std::vector<uint64_t> &marks);

/// Nodes that look alike as far as some edges: the further, the fewer are alike. As far as leaves a
/// problem with few enough classes to be worth it; none if there is no such one.
Classes findAlike(const StrategyProblem &problem, const EdgeTables &tables);

} // namespace pcc::solve
