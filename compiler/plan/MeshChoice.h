// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outer choice of a search: into which axes the devices are arranged. Shardings are searched on
// every arrangement that is worth it, and the one whose plan takes the least time wins.
//
//   8 devices   x=8   x=2, y=4   x=4, y=2   x=2, y=2, z=2
//
// The last axis counts fastest, so its ranks lie closest together: on boxes of 8 linked by slower
// links x=2, y=8 and x=8, y=2 are different machines.
#pragma once

#include "passes/strategy/PinPrices.h"
#include "passes/strategy/PlanConflict.h"

namespace pcc::plan {

/// All arrangements of `devices` in one to `mostAxes` axes of more than one rank each, those of
/// fewer axes first; one of a single rank for one device.
std::vector<dist::Mesh> listMeshes(int64_t devices, size_t mostAxes);

/// One arrangement, and what the search found on it.
struct MeshCandidate {
  dist::Mesh mesh;
  strategy::SearchOutcome outcome;
  std::vector<strategy::PinPrice> pins = {}; ///< where they are asked for
  double cutSeconds = 0; ///< that recursive cuts took, where they made what was improved
};

/// Searches `module`, at the stage grad, on each of `meshes`. Best first: those with a plan by its
/// cost, then those without, by the memory that is needed at least. The time limit of the options
/// is that of all together. Diagnoses and fails if the pins of the module are wrong.
mlir::FailureOr<std::vector<MeshCandidate>> searchMeshes(mlir::ModuleOp module,
                                                         llvm::ArrayRef<dist::Mesh> meshes,
                                                         const strategy::PinOptions &pins,
                                                         const abi::Cluster &cluster,
                                                         const strategy::SearchOptions &options);

} // namespace pcc::plan
