// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with the user's constraints and the cuts in which inputs are fed, checked and put on
// one mesh, before a mode decides the remaining ops.
#pragma once

#include "passes/strategy/PinResolver.h"

namespace pcc::strategy {

/// Options of the modes that obey constraints; docs/spec/parallel.md defines them.
struct PinOptions {
  int64_t deviceNum = 1;
  bool gradientsMean = false;
  bool fullBatch = false;
  bool lossRepeatedMean = true;
  llvm::StringRef datasetStrategy;
};

struct PinnedProgram {
  dist::Mesh mesh; ///< refined as the constraints require
  GivenShardings given;
  std::vector<PinShare> pins; ///< constraints that led to `given`
};

/// Returns the given shardings without those of constraints not in `kept`. Shardings that do not
/// come from constraints stay.
GivenShardings keepPins(const PinnedProgram &pinned, llvm::ArrayRef<int> kept);

/// Resolves the constraints of `module` and leaves them on it. Without a mesh and constraints, all
/// ranks split the batch. Emits a diagnostic on failure.
mlir::FailureOr<PinnedProgram> resolvePins(mlir::ModuleOp module, const PinOptions &options);

/// Writes the mesh and the shardings to the program and removes its constraints.
void markProgram(mlir::ModuleOp module, PinnedProgram pinned);

} // namespace pcc::strategy
