// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link: task programs and their native code as the executable that the device side runs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/lower/EmitKernels.h"
#include "runtime/abi/program.pb.h"

namespace pcc::link {

/// Fills `executable` from the `task.program` of the module, its `graph.parameter`s and
/// `dist.mesh`, or from those of its stages, each on a block of ranks as large as the mesh. Fails
/// with a diagnostic if something has no form in the file (a constant or initial value that is not
/// in the module, because a dump left it out), or if the program cannot be proved
/// (runtime/check/Check.h).
mlir::LogicalResult linkExecutable(mlir::ModuleOp module, const lower::KernelObject &object,
                                   abi::Executable &executable);

/// Compiles the kernels of a module of stage llvm and links it. Errors are diagnostics.
mlir::FailureOr<abi::Executable> linkProgram(mlir::ModuleOp module);

/// Links a module of stage task: the records without the code of their kernels, to be proved and
/// simulated, not to be run. Errors are diagnostics.
mlir::FailureOr<abi::Executable> linkRecords(mlir::ModuleOp module);

} // namespace pcc::link
