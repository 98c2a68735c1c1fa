// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernels (functions of core ops on tensors) to native code.
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

/// Attribute of a function of a task module: the function is a kernel of this form.
inline constexpr llvm::StringLiteral formAttrName = "task.form";
/// Attribute of a kernel argument: the argument is the next scalar, not a buffer.
inline constexpr llvm::StringLiteral scalarAttrName = "task.scalar";
/// Attribute of a kernel result: the result lies in the buffer of this argument.
inline constexpr llvm::StringLiteral tiedAttrName = "task.tied";

/// Attribute of a GPU function: the number of blocks and of threads per block.
inline constexpr llvm::StringLiteral gridAttrName = "task.grid";

/// Emits `void NAME(ptr buffers, ptr scalars, i64 begin, i64 end)` for a kernel, as loops of arith
/// and math, at the builder's insertion point.
void emitKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel);

/// Converts a module of emitted kernels to the LLVM dialect.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp kernels);

/// Chip name of GPU code that runs on the CPU, in tests (`--lower-emulate-gpu-kernels`).
inline constexpr llvm::StringLiteral emulatorChip = "emulator";

/// Code for GPUs.
struct GpuObject {
  std::string chip;
  std::string ptx;
  std::string cubin;            ///< empty without an assembler; a shared object for the emulator
  llvm::StringMap<int> threads; ///< threads per block, by kernel
};

/// The native code of all kernels of a program.
struct KernelObject {
  std::string elf;                      ///< a shared object without DT_NEEDED; empty: no kernels
  std::vector<std::string> cpuFeatures; ///< features that the code needs, LLVM's names
  std::optional<GpuObject> gpu = {};    ///< replaces the other fields
};

/// Compiles the kernels of a module (after `--lower-emit-kernels`) for the CPU that LLVM calls
/// `cpu`; empty: the CPU of this machine.
llvm::Expected<KernelObject> compileKernels(mlir::ModuleOp module, llvm::StringRef cpu = "");

} // namespace pcc::lower
