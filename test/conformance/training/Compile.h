// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a question's model to what the compiler makes of it.
#pragma once

#include "compiler/Compile.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The question's mode; what is no mode of its own stands alone.
abi::ParallelMode modeOf(const Case &question);

/// What became of a model: the module, or null with the errors that were diagnosed.
struct Compiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string error;
};

/// Takes the module `text` along the road up to and including `last`, after `prepare`.
Compiled compileModel(const std::string &text, const CompileOptions &options, CompilePhase last,
                      mlir::MLIRContext &context,
                      llvm::function_ref<void(mlir::ModuleOp)> prepare = nullptr);

} // namespace pcc::conformance
