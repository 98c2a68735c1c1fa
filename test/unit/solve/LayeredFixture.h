// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems that repeat a layer, as training steps do.
#pragma once

#include "passes/solve/problem/StrategyProblem.h"

namespace pcc::solve::test {

struct Layers {
  int count = 5;       ///< layers
  int width = 2;       ///< nodes in each
  int options = 2;     ///< at most, of each node
  bool isTight = true; ///< the limit binds
  uint64_t seed = 1;
};

/// A node before the layers, the layers in a chain, a node behind them; within a layer and between
/// neighbors the same random edges. Every second node is live from its layer to its mirror image,
/// as values that the backward pass needs; the others are used up by the next layer.
StrategyProblem layeredProblem(const Layers &layers);

/// Two of them behind each other.
StrategyProblem joined(const StrategyProblem &first, const StrategyProblem &second);

} // namespace pcc::solve::test
