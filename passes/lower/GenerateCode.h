// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation that all targets share: from functions of the LLVM dialect to LLVM IR, through
// LLVM's optimizer, to code.
#pragma once

#include "mlir/IR/Block.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pcc::lower {

/// Translates the functions and globals of the LLVM dialect in a block to IR for a target.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateKernels(mlir::Block &block, llvm::LLVMContext &context, llvm::TargetMachine &machine);

/// Runs LLVM's O3 pipeline. `vectorizes`: loops become vector loops.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool vectorizes);

/// Emits an object file or assembly, as `type` says.
llvm::Expected<std::string> emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type);

} // namespace pcc::lower
