// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layer a node belongs to, so that classes can be cut into groups of layers.
//
//   one class that has a node in every layer gives the numbers   a₁ a₂ a₃ … a₉₆
//   every other node has the number of the one that is nearest   forward, backward and update alike
//
// A problem may repeat several things: an encoder's layers and a decoder's. Classes whose nodes do
// not spread over the numbers so found are numbered among themselves.
#pragma once

#include "passes/solve/Classes.h"

namespace pcc::solve {

/// One thing that is repeated.
struct Repetition {
  int copies = 0;
  std::vector<int> copyOf; ///< by node; −1: no part of it
};

std::vector<Repetition> findRepetitions(const StrategyProblem &problem, const Classes &classes);

/// Cuts the copies of each repetition into up to `groups` groups. Each is half of what is left, so
/// that many mixtures of two plans are sums of groups: 48 + 24 + 12 + 6 + 3 + 3 of 96.
Classes splitByCopies(const Classes &classes, const std::vector<Repetition> &repetitions,
                      int groups);

} // namespace pcc::solve
