// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a search: table entries that a thread reads. A search counts its work, not the clock, so
// that the same time limit gives the same result.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"

namespace pcc::solve {

/// Table entries that a thread of a typical machine reads per second, with a reserve so that the
/// work ends before the time. On two cores of a 2.5 GHz server, the five public problems of
/// docs/performance.md end after 75 to 90 % of their time.
inline constexpr double entriesPerSecond = 5.5e8;

/// Returns the work of reading and reducing a problem: a number of entries for each entry of its
/// tables.
inline uint64_t workToReduce(const StrategyProblem &problem) {
  constexpr uint64_t entriesToBuild = 200;
  uint64_t work = 0;
  for (const StrategyEdge &edge : problem.edges)
    work += entriesToBuild * edge.costs.size();
  return work;
}

/// Returns the work of building a problem whose options and costs are those of a program's ops: a
/// number of entries for each node, for each option, and for each entry of its tables.
inline uint64_t workToBuild(const StrategyProblem &problem) {
  constexpr uint64_t entriesPerNode = 8'000, entriesPerOption = 1'000, entriesPerCost = 5;
  uint64_t work = 0;
  for (const StrategyNode &node : problem.nodes)
    work += entriesPerNode + entriesPerOption * node.size();
  for (const StrategyEdge &edge : problem.edges)
    work += entriesPerCost * edge.costs.size();
  return work;
}

/// Returns the seconds that a typical machine takes for `work`.
inline double secondsOfWork(uint64_t work) { return double(work) / entriesPerSecond; }

} // namespace pcc::solve
