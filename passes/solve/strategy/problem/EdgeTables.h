// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distinct cost tables of a problem's edges. Repeated layers share their tables.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"

namespace pcc::solve {

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

} // namespace pcc::solve
