// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents kernels as functions of core ops for code generation: which argument is which buffer,
// and which ops a kernel may have.
#pragma once

#include "passes/lower/host/loops/KernelLoops.h"

namespace pcc::lower {

/// Assigns a buffer or scalar to each argument and result of a kernel. The buffers of the arguments
/// are counted first, then the buffers of results that lie in no argument's buffer.
struct KernelSignature {
  llvm::SmallVector<int64_t> bufferOfArgument; ///< -1: a scalar
  llvm::SmallVector<int64_t> bufferOfResult;
  int64_t numBuffers = 0;
  int64_t numScalars = 0;

  explicit KernelSignature(mlir::func::FuncOp kernel);
};

/// The kernels of a module.
llvm::SmallVector<mlir::func::FuncOp> listKernels(mlir::ModuleOp module);

/// Checks that the function is a kernel: one block of core ops, in loops for which there is code.
mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

/// Binds the kernel's arguments to memory or scalars, and its results to pointers. `values`: the
/// buffers, then the scalars, then all other arguments of the emitted function.
void bindArguments(KernelBody &kernel, const KernelSignature &signature, mlir::ValueRange values);

} // namespace pcc::lower
