// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition of the nodes into classes that are given the same option.
//
//   layer 1   a — b — c                       Two rounds of refinement. The first layers and the
//   layer 2       a — b — c                   last layers differ from the others, because they are
//   …                 …                       near an end of the chain. All other a's are one
//   layer 96              a — b — c           class, all other b's another, …
//
// The classes come from color refinement (Weisfeiler and Leman, The reduction of a graph to
// canonical form, 1968), cut off after a few rounds. A node's color is its costs and usages, and
// the colors of its neighbors with the edge tables. Only the quality of the folded problem depends
// on the classes: any partition of nodes with equal costs and usages gives valid solutions and
// bounds.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"

namespace pcc::solve {

/// The distinct cost tables of a problem's edges. Repeated layers share their tables.
struct EdgeTables {
  explicit EdgeTables(const StrategyProblem &problem);

  std::vector<int> of; ///< by edge: index of its table
  /// Distinct in entries and shape. The pointers are valid as long as the problem.
  std::vector<const CostTable *> tables;
};

/// Combines two hashes.
inline uint64_t mixHash(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15U + (hash << 6) + (hash >> 2);
  hash *= 0xFF51AFD7ED558CCDU;
  return hash ^ (hash >> 32);
}

template <typename List> uint64_t hashOf(const List &figures) {
  uint64_t hash = figures.size();
  for (auto figure : figures)
    hash = mixHash(hash, uint64_t(figure));
  return hash;
}

/// Minimum number of equal parts that count as a repetition.
inline constexpr size_t minInstances = 4;

/// A partition of a problem's nodes. The nodes of a class have equal costs and usages.
struct NodeClasses {
  std::vector<int> of; ///< class by node; classes are numbered in the order of their first nodes
  int count = 0;

  /// Returns the nodes of each class, in order.
  std::vector<std::vector<int>> members() const;
};

/// Returns a class for each node.
NodeClasses singletonClasses(const StrategyProblem &problem);

/// Splits classes: nodes of a class stay together if they have the same label.
NodeClasses split(const NodeClasses &classes, const std::vector<uint64_t> &labels);

/// Returns classes of nodes with similar surroundings. Refines as long as the problem has few
/// enough classes. Returns no classes if even the coarsest are too many.
NodeClasses findSimilarNodes(const StrategyProblem &problem, const EdgeTables &tables);

//===-- Repetitions.cpp -----------------------------------------------------------------------===//

// Assignment of nodes to repeated layers, so that classes can be split into groups of layers.
//
//   A class with one node in every layer gives the numbers:       a₁ a₂ a₃ … a₉₆
//   Every other node gets the number of the nearest such node,    in forward, backward and update.
//
// A problem may repeat several parts, such as an encoder's and a decoder's layers. A class whose
// nodes do not spread over the numbers of one repetition belongs to another repetition.

/// A repeated part of a problem.
struct Repetition {
  int instances = 0;
  std::vector<int> instanceOf; ///< by node: number of its instance; −1: not in this repetition
};

std::vector<Repetition> findRepetitions(const StrategyProblem &problem, const NodeClasses &classes);

/// Splits the instances of each repetition into up to `groups` groups. Group sizes grow by a factor
/// of 3 from both ends to the middle.
/// For 96 instances and 8 groups: 1 + 4 + 11 + 32 + 32 + 11 + 4 + 1.
/// Unions of groups thus give many mixtures of two plans.
NodeClasses splitByInstances(const NodeClasses &classes, const std::vector<Repetition> &repetitions,
                             int groups);

} // namespace pcc::solve
