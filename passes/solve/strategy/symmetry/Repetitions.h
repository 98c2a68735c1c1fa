// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment of nodes to repeated layers, so that classes can be split into groups of layers.
//
//   A class with one node in every layer gives the numbers:       a₁ a₂ a₃ … a₉₆
//   Every other node gets the number of the nearest such node,    in forward, backward and update.
//
// A problem may repeat several parts, such as an encoder's and a decoder's layers. A class whose
// nodes do not spread over the numbers of one repetition belongs to another repetition.
#pragma once

#include "passes/solve/strategy/symmetry/NodeClasses.h"

namespace pcc::solve {

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
