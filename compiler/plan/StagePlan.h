// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans stages that fit into memory, if necessary by recomputing values instead of saving them. A
// recomputed layer saves nothing for the microbatches in flight, except for the microbatch in its
// backward pass:
//
//                   time             held          live
//   saved           F + B            h             l
//   recomputed      F + B + F        h + l         0
#pragma once

#include "passes/solve/stages/StageProblem.h"

namespace pcc::plan {

struct StagePlan {
  stages::StageProblem problem; ///< with the layers as planned
  stages::StageCuts cuts;
  std::vector<char> isRecomputed; ///< by layer
  std::string error;              ///< why there is no plan; empty if there is one
};

/// Returns the best cuts with all values saved. If no cuts fit, returns the best cuts with all
/// layers recomputed. Each stage then saves layers again as far as memory allows, most seconds per
/// byte first. `forward` has the seconds of the layers' forward ops.
StagePlan planStages(stages::StageProblem problem, const std::vector<double> &forward);

} // namespace pcc::plan
