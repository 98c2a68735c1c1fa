// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user says of a program before a mode fills in the rest: pins and the cuts in which inputs
// are fed, checked and put on one mesh.
#pragma once

#include "passes/strategy/PinResolver.h"

namespace pcc::strategy {

/// The options of the modes that obey pins; docs/spec/parallel.md says what they mean.
struct PinOptions {
  int64_t deviceNum = 1;
  bool gradientsMean = false;
  bool fullBatch = false;
  bool lossRepeatedMean = true;
  llvm::StringRef datasetStrategy;
};

struct PinnedProgram {
  dist::Mesh mesh; ///< cut as finely as the pins need
  GivenShardings given;
  std::vector<PinShare> pins; ///< by which `given` came about
};

/// What is given if only the pins of these numbers are. What is given without pins stays.
GivenShardings keepPins(const PinnedProgram &pinned, llvm::ArrayRef<int> kept);

/// Reads the pins of `module`, which stay. Of a program without mesh and pins all ranks split the
/// batch. Diagnoses and fails.
mlir::FailureOr<PinnedProgram> resolvePins(mlir::ModuleOp module, const PinOptions &options);

/// Puts the mesh and the shardings on the program, which then has no pins.
void markProgram(mlir::ModuleOp module, PinnedProgram pinned);

} // namespace pcc::strategy
