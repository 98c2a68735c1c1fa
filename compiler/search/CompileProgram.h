// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model to the program of its ranks in one call. Tools, benchmarks and tests use it, so
// that options mean the same to all of them.
//
//   FailureOr<abi::Executable> program = compile(module, options);
//
// is  resolveChoices    the choices that options leave open (Choices.h)
//     runPhases         all phases (compiler/Compile.h)
//     linkProgram       machine code and instructions in one message (compiler/link)
#pragma once

#include "compiler/Compile.h"
#include "runtime/abi/program.pb.h"

namespace pcc {

/// Compiles `module`, as imported, to a program that ranks can run. Afterwards `module` holds the
/// last phase. Reports errors as diagnostics.
mlir::FailureOr<abi::Executable> compile(mlir::ModuleOp module, CompileOptions options);

/// Compiles `module` to instructions without the code of their kernels. The result can be proved
/// and simulated, but not run.
mlir::FailureOr<abi::Executable> compileInstructions(mlir::ModuleOp module, CompileOptions options);

} // namespace pcc
