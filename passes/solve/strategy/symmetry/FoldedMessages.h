// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfer of messages from a folded problem to one with finer classes.
#pragma once

#include "passes/solve/strategy/symmetry/FoldedProblem.h"

namespace pcc::solve {

/// Gives each edge of the problem its share of the message of its folded edge. `messages` belongs
/// to `coarse`; both have the layout of FlatEdge.
std::vector<float> carryMessages(const FoldedProblem &coarse, const std::vector<float> &messages,
                                 const FoldedProblem &fine);

} // namespace pcc::solve
