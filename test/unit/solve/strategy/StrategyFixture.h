// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small problems that exhaustive search can solve.
#pragma once

#include "passes/solve/strategy/problem/Random.h"
#include "passes/solve/strategy/problem/StrategyProblem.h"
#include <optional>

namespace pcc::solve::test {

/// Makes a problem of 2 to 9 nodes with 1 to 4 options, edges between some nodes, forbidden
/// entries, and a limit that binds more or less.
StrategyProblem randomProblem(uint64_t seed);

/// Makes a connected, feasible problem of the given shape with `nodes` nodes and up to `options`
/// options per node.
enum class Shape { Chain, Tree, SeriesParallel };
StrategyProblem shapedProblem(Shape shape, int nodes, int options, uint64_t seed);

/// Returns costs below `below` for each pair of options of two nodes.
std::vector<int64_t> randomTable(const StrategyProblem &problem, int u, int v, uint32_t below,
                                 Random &random);

/// Returns the least cost over all choices; nothing if none fits.
std::optional<Int128> bruteForce(const StrategyProblem &problem);

} // namespace pcc::solve::test
