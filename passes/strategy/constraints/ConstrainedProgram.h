// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with the user's constraints and the cuts in which inputs are fed, checked and put on
// one mesh, before a mode decides the remaining ops. Modes semi_auto and recursive, the choice of a
// mesh and the search under the cost model `memory` begin with it. The estimate of constraint costs
// searches again without some of the constraints.
#pragma once

#include "passes/strategy/constraints/ConstraintResolver.h"

namespace pcc::strategy {

/// Options of the modes that obey constraints; docs/spec/parallel.md defines them.
struct ConstraintOptions {
  int64_t deviceNum = 1;
  bool gradientsMean = false;
  bool fullBatch = false;
  bool lossRepeatedMean = true;
  llvm::StringRef datasetStrategy;
};

struct ConstrainedProgram {
  dist::Mesh mesh; ///< refined as the constraints require
  SeedShardings given;
  std::vector<ConstraintTargets> constraints; ///< constraints that led to `given`
};

/// Returns the given shardings without those of constraints that are not kept. `keptIndices` are
/// indices into `constrained.constraints`. Shardings that do not come from constraints stay.
SeedShardings keepConstraints(const ConstrainedProgram &constrained,
                              llvm::ArrayRef<int> keptIndices);

/// Resolves the constraints of `module` and leaves them on it. If there is neither a mesh nor a
/// constraint, the ranks split the batch. Emits a diagnostic on failure.
mlir::FailureOr<ConstrainedProgram> resolveConstraints(mlir::ModuleOp module,
                                                       const ConstraintOptions &options);

/// Writes the mesh and the shardings to the program and removes its constraints. Ops without a
/// constraint get the splits that are cheapest on `cluster`, if it is given.
void annotateProgram(mlir::ModuleOp module, ConstrainedProgram constrained,
                     const abi::Cluster *cluster = nullptr);

} // namespace pcc::strategy
