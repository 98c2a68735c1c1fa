// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code generation for every target shares: from functions of the LLVM dialect to LLVM's IR,
// through its optimiser, to code.
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

/// The functions and globals of the LLVM dialect in a block, as IR for a target.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateKernels(mlir::Block &block, llvm::LLVMContext &context, llvm::TargetMachine &machine);

/// LLVM's O3 pipeline. `vectorises`: loops become loops over vectors.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, bool vectorises);

/// An object file, or assembly.
llvm::Expected<std::string> emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type);

} // namespace pcc::lower
