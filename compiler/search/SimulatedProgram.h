// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates the instructions of a candidate program on the virtual clock. Choices between programs
// compare the results.
#pragma once

#include "compiler/Compile.h"
#include "runtime/simulate/Simulate.h"

namespace pcc::search {

/// Instructions of a program and a simulated step.
struct SimulatedProgram {
  abi::Executable program;
  simulate::Simulation step;
  std::string error; ///< why there is no such program; empty if there is one

  /// Returns the planned bytes of the rank that needs most.
  int64_t getPeakBytes() const;
};

/// Builds and simulates the instructions of `model`, as imported, which is not changed. `options`
/// come from makeSimulationOptions. Diagnostics and remarks of the candidate are not shown.
SimulatedProgram simulateProgram(mlir::ModuleOp model, const CompileOptions &options);

/// Adapts `options` to programs that are only simulated: adds this machine if there is none, and
/// removes observers and output files. The programs recompute what `options` name, nothing else.
CompileOptions makeSimulationOptions(CompileOptions options);

} // namespace pcc::search
