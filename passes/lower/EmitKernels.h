// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernels (functions of core ops on tensors) to native code.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace pcc::lower {

/// On a function of a task module: it is a kernel of this form.
inline constexpr llvm::StringLiteral formAttrName = "task.form";
/// On an argument of a kernel: it is the next scalar, not a buffer.
inline constexpr llvm::StringLiteral scalarAttrName = "task.scalar";
/// On a result of a kernel: it lies in the buffer of this argument.
inline constexpr llvm::StringLiteral tiedAttrName = "task.tied";

/// On a function of a GPU: how many blocks of how many threads run it.
inline constexpr llvm::StringLiteral gridAttrName = "task.grid";

/// Emits `void NAME(ptr buffers, ptr scalars, i64 begin, i64 end)` for a kernel, as loops of arith
/// and math, at the builder's insertion point.
void emitKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel);

/// Turns a module of emitted kernels into the LLVM dialect.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp kernels);

/// The chip of code for GPUs that runs on the CPU, in tests (`--lower-emulate-gpu-kernels`).
inline constexpr llvm::StringLiteral emulatorChip = "emulator";

/// Code for GPUs.
struct GpuObject {
  std::string chip;
  std::string ptx;
  std::string cubin;            ///< empty: there was no assembler; the emulator's: a shared object
  llvm::StringMap<int> threads; ///< of a block, by kernel
};

/// The native code of all kernels of a program.
struct KernelObject {
  std::string elf;                      ///< a shared object without DT_NEEDED; empty: no kernels
  std::vector<std::string> cpuFeatures; ///< that the code needs, by LLVM's names
  std::optional<GpuObject> gpu;         ///< instead of the others
};

/// Compiles the kernels of a module (after `--lower-emit-kernels`) for a CPU by LLVM's name (empty:
/// the CPU of this machine).
llvm::Expected<KernelObject> compileKernels(mlir::ModuleOp module, llvm::StringRef cpu = "");

/// The kernels of a module as LLVM IR, optimised for the CPU of this machine.
llvm::Expected<std::string> printKernelsAsLLVM(mlir::ModuleOp module);

} // namespace pcc::lower
