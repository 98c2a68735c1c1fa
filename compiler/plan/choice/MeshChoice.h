// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the mesh: the axes into which the devices are arranged. The search runs on every
// arrangement that is worth trying, and the mesh with the fastest plan wins.
//
//   8 devices, at most 3 axes   x=8   x=2, y=4   x=4, y=2   x=2, y=2, z=2
//
// The pass PlanAutoParallel tries at most `max-axes` axes, by default 2. The last axis varies
// fastest, so its ranks lie closest together. On nodes of 8 devices with slower links between
// nodes, x=2, y=8 and x=8, y=2 are different machines.
#pragma once

#include "passes/strategy/search/Search.h"

namespace pcc::plan {

/// Returns all arrangements of `devices` in one to `maxAxes` axes of more than one rank each,
/// fewer axes first. For one device, returns one axis of a single rank.
std::vector<dist::Mesh> listMeshes(int64_t devices, size_t maxAxes);

/// One mesh and the result of the search on it.
struct MeshCandidate {
  dist::Mesh mesh;
  strategy::SearchOutcome outcome;
  std::vector<strategy::ConstraintCost> constraints = {}; ///< cost of each constraint, if requested
  double cutSeconds = 0; ///< time of recursive cuts, if they made the initial plan
};

/// Searches `module`, after the phase grad, on each of `meshes`. Returns the best mesh first:
/// meshes with a plan by cost, then meshes without a plan by their least memory. All meshes share
/// the time limit of the options. A mesh on which no plan is faster than one on another mesh may
/// have a plan far from its own optimum, or none; its status is then feasible or unknown. Emits an
/// error and fails if the constraints of the module are wrong.
mlir::FailureOr<std::vector<MeshCandidate>> searchMeshes(mlir::ModuleOp module,
                                                         llvm::ArrayRef<dist::Mesh> meshes,
                                                         const strategy::ConstraintOptions &obeyed,
                                                         const abi::Cluster &cluster,
                                                         const strategy::SearchOptions &options);

} // namespace pcc::plan
