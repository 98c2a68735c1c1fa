// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Good solutions that differ from each other. Where two of them agree there is little to win; where
// they differ, a block of just these nodes finds the best of both (path relinking: Glover, Laguna
// and Marti, Fundamentals of scatter search and path relinking, 2000; with an exact step as in
// Aggarwal, Orlin and Tai, Optimized crossover for the independent set problem, 1997).
#pragma once

#include "passes/solve/State.h"

namespace pcc::solve {

struct Elite {
  std::vector<int32_t> options;
  double cost = 2.0 * double(kFar); ///< that much if it does not fit
};

/// The nodes in which two solutions differ.
std::vector<int> differences(const std::vector<int32_t> &a, const std::vector<int32_t> &b);

class Elites {
public:
  /// Takes a solution in: instead of one like it, or of the one most like it among those that are
  /// dearer, once there are many.
  void offer(const State &state);

  /// After the core was made anew.
  void follow(const Core &core, const Instance &instance);

  /// The cheapest one; null if there is none.
  const Elite *best() const;

  std::vector<Elite> list;
};

} // namespace pcc::solve
