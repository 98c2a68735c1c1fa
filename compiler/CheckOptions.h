// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks for options that contradict each other or the model, run before the first phase.
#pragma once

#include "compiler/Compile.h"

namespace pcc {

/// Returns whether `mode` obeys the user's constraints: true for all modes in which the compiler
/// completes a partial strategy.
bool obeysConstraints(abi::ParallelMode mode);

/// Checks that the compilation pipeline can run with `options`. Emits an error for the first option
/// that is wrong.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, const CompileOptions &options);

} // namespace pcc
