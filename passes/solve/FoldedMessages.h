// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What message passing found on a folded problem, on one with finer classes of the same problem.
#pragma once

#include "passes/solve/FoldedProblem.h"

namespace pcc::solve {

/// Each of the problem's edges has its share of the message of the folded edge that it is part of.
/// `messages` belongs to `coarse`; both are laid out as in InstanceEdge.
std::vector<float> carryMessages(const FoldedProblem &coarse, const std::vector<float> &messages,
                                 const FoldedProblem &fine);

} // namespace pcc::solve
