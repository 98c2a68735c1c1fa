// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "tools/pcc/report/ExitCode.h"

namespace pcc::cli {

/// Writes `module` to `path`: bytecode if the path ends in `.mlirbc`, else text. On stdout, large
/// values are elided.
ExitCode writeModule(mlir::ModuleOp module, llvm::StringRef path);

/// Writes a model like writeModule; a file keeps the names of its ops, to which constraints refer.
ExitCode writeModel(mlir::ModuleOp module, llvm::StringRef path);

} // namespace pcc::cli
