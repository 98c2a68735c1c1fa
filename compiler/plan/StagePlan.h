// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages that fit into memory, if need be by computing values again instead of keeping them. A
// layer that is computed again keeps nothing for the microbatches under way but one, which is in
// its backward pass:
//
//                   time             held          live
//   kept            F + B            h             l
//   computed again  F + B + F        h + l         0
#pragma once

#include "passes/solve/stages/StageProblem.h"

namespace pcc::plan {

struct StagePlan {
  stages::StageProblem problem; ///< with the layers as they are planned
  stages::StageCuts cuts;
  std::vector<char> isRecomputed; ///< by layer
  std::string error;              ///< why there is no plan; empty if there is
};

/// The best cuts with all values kept. If none fits, those with all computed again, of which each
/// stage then keeps what it can, first what saves most time for its bytes. `forward` has the times
/// of the layers' forward ops.
StagePlan planStages(stages::StageProblem problem, const std::vector<double> &forward);

} // namespace pcc::plan
