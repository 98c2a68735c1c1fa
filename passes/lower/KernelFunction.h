// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as functions of core ops, as code generation takes them: which argument is which buffer,
// and what may stand in them.
#pragma once

#include "passes/lower/KernelLoops.h"

namespace pcc::lower {

/// Which buffer or scalar each argument and result of a kernel is. Buffers are counted first those
/// of the arguments, then those of results that lie in none of them.
struct KernelSignature {
  llvm::SmallVector<int64_t> bufferOfArgument; ///< -1: a scalar
  llvm::SmallVector<int64_t> bufferOfResult;
  int64_t numBuffers = 0;
  int64_t numScalars = 0;

  explicit KernelSignature(mlir::func::FuncOp kernel);
};

/// The kernels of a module.
llvm::SmallVector<mlir::func::FuncOp> listKernels(mlir::ModuleOp module);

/// Checks that the function is a kernel: one block of core ops in loops that there is code for.
mlir::LogicalResult checkKernel(mlir::func::FuncOp kernel);

/// Tells the kernel's elements where its arguments lie, and the kernel where its results go.
/// `values`: the buffers, then the scalars, then what else the emitted function has.
void bindArguments(KernelBody &kernel, const KernelSignature &signature, mlir::ValueRange values);

} // namespace pcc::lower
