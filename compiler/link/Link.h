// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links task programs and their native code into the executable that the device side runs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/lower/host/EmitKernels.h"
#include "runtime/abi/program.pb.h"

namespace pcc::link {

/// Fills `executable` from the `task.program` of the module, its `graph.parameter`s and
/// `dist.mesh`. A module of several stages gives one program per stage, each on a block of ranks as
/// large as the mesh. Emits an error and fails if a constant or initial value is not in the module,
/// because a dump elided it. Also fails if the program cannot be proved (runtime/check/Check.h).
mlir::LogicalResult linkExecutable(mlir::ModuleOp module, const lower::KernelObject &object,
                                   abi::Executable &executable);

/// Compiles the kernels of a module after phase llvm and links it. Reports errors as diagnostics.
mlir::FailureOr<abi::Executable> linkProgram(mlir::ModuleOp module);

/// Links a module after phase task: its instructions without the code of their kernels, and without
/// values of constants and parameters. The result can be proved and simulated, but not run. Reports
/// errors as diagnostics.
mlir::FailureOr<abi::Executable> linkInstructions(mlir::ModuleOp module);

} // namespace pcc::link
