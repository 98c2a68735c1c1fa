// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems that repeat a layer, as training steps do.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"

namespace pcc::solve::test {

struct Layers {
  int count = 5;       ///< layers
  int width = 2;       ///< nodes in each
  int options = 2;     ///< at most, of each node
  bool isTight = true; ///< the limit binds
  uint64_t seed = 1;
};

/// Makes a problem with one node before the layers, the layers in a chain, and one node after them.
/// The same random edges are within each layer and between adjacent layers. Every second node is
/// live from its layer to the mirror image of the layer, as a value that the backward pass needs.
/// The other nodes are used up by the next layer.
StrategyProblem layeredProblem(const Layers &layers);

/// Appends the second problem to the first.
StrategyProblem joined(const StrategyProblem &first, const StrategyProblem &second);

} // namespace pcc::solve::test
