// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate of a search: a model compiled to instructions and run on the virtual clock, so that
// its step time and memory are those of the program that a user would get.
#pragma once

#include "compiler/Compile.h"
#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"

namespace pcc::search {

/// Instructions of a program and a simulated step.
struct SimulatedProgram {
  abi::Executable program;
  simulate::Simulation step;
  llvm::SmallVector<double>
      partSeconds;   ///< to recompute each part, if the options ask for the list
  std::string error; ///< why there is no such program; empty if there is one
};

/// Returns the planned bytes of the rank that needs most.
int64_t getPeakBytes(const simulate::Simulation &step);

/// Builds and simulates the instructions of `model`, as imported, which is not changed. `options`
/// come from makeSimulationOptions. Diagnostics and remarks of the candidate are not shown.
SimulatedProgram simulateProgram(mlir::ModuleOp model, const CompileOptions &options);

/// Adapts `options` to programs that are only simulated: adds this machine if there is none, and
/// removes the observer and output files. The programs recompute what `options` name, nothing else.
CompileOptions makeSimulationOptions(CompileOptions options);

} // namespace pcc::search
