// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a solution cheaper at linear cost: for good solutions that were made without prices
// (RECURSIVE_PROGRAMMING), whose nodes have few options.
//
// In each round some nodes, among which there is no cycle, choose anew, all at once and exactly, by
// min-sum dynamic programming along their trees; the others stay as they are.
//
//   a – b – d       the first round takes a, b, c: d would close a cycle
//    \     /        the second one begins with d, then takes a and b: c would close it
//     – c –
//
// So a whole chain can change at once, which no single step of one of its nodes could begin.
#pragma once

#include "passes/solve/StrategyProblem.h"

namespace pcc::solve {

/// Never dearer than `solution`, which verifies. Ends early once every node has had its turn in
/// vain. Deterministic. Where the limit of use stands against what a round finds, it stays as it
/// is.
StrategySolution improve(const StrategyProblem &problem, StrategySolution solution, int rounds = 4);

} // namespace pcc::solve
