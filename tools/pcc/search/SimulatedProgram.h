// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates the instructions of a candidate program on the virtual clock. Choices between programs
// compare the results.
#pragma once

#include "compiler/Compile.h"
#include "runtime/simulate/Simulate.h"

namespace pcc::cli {

/// Instructions of a program and a simulated step.
struct SimulatedProgram {
  abi::Executable program;
  simulate::Simulation step;
  std::string error; ///< why there is no such program; empty if there is one

  /// Returns the planned bytes of the rank that needs most.
  int64_t peakBytes() const;
};

/// Builds and simulates the instructions of `model`, as imported, which is not changed. `options`
/// has a machine.
SimulatedProgram simulateProgram(mlir::ModuleOp model, const CompileOptions &options);

/// Adapts `options` to programs that are only simulated: adds this machine if there is none, and
/// removes observers and output files.
CompileOptions makeSimulationOptions(CompileOptions options);

/// Returns the bytes of a device that a program may use: the limit if set, else the machine's
/// memory.
int64_t getMemoryLimit(const CompileOptions &options);

} // namespace pcc::cli
