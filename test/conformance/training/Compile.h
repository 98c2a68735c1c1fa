// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the model of a question.
#pragma once

#include "compiler/Compile.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Returns the question's mode; stand-alone if the question has no parallel mode.
abi::ParallelMode modeOf(const Case &question);

/// The compiled module, or null with the diagnosed errors.
struct Compiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
};

/// Parses `text`, calls `prepare`, and runs the phases up to and including `last`.
Compiled compileModel(const std::string &text, const CompileOptions &options, CompilePhase last,
                      mlir::MLIRContext &context,
                      llvm::function_ref<void(mlir::ModuleOp)> prepare = nullptr);

} // namespace pcc::conformance
