// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best solution so far of the original problem.
#pragma once

#include "passes/solve/strategy/problem/StrategyProblem.h"

namespace pcc::solve {

class Incumbent {
public:
  explicit Incumbent(const StrategyProblem &problem) : problem(problem) {}

  /// Takes the solution if it is valid and has a lower cost. Returns whether it did.
  bool offer(const StrategySolution &offered) {
    Verdict verdict = verify(problem, offered);
    if (!verdict.ok() || (isKnown && verdict.cost >= cost))
      return false;
    isKnown = true;
    cost = verdict.cost;
    solution = offered;
    return true;
  }

  const StrategyProblem &problem;
  bool isKnown = false;
  Int128 cost = 0;
  StrategySolution solution;
};

} // namespace pcc::solve
