// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlines kernels as functions.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::lower {

/// A kernel as a function, with the ops that give its scalar arguments.
struct OutlinedKernel {
  mlir::func::FuncOp function;
  /// Ops whose values are the scalar arguments, in order: `dist.rank`, and
  /// `dist.group_size` of groups of different sizes.
  llvm::SmallVector<mlir::Operation *> scalars;
};

/// Outlines kernels as functions. Kernels that are equal except for names share one function.
class Outliner {
public:
  explicit Outliner(mlir::ModuleOp module) : module(module) {}

  /// `tiedTo` gives for each output the number of the input that it overwrites, or -1.
  OutlinedKernel outline(const analysis::Kernel &kernel, llvm::ArrayRef<int64_t> tiedTo);
  int64_t numKernels() const { return numOutlined; }
  int64_t numFunctions() const { return functions.size(); }

private:
  mlir::func::FuncOp deduplicate(mlir::func::FuncOp function, mlir::Operation *last);

  mlir::ModuleOp module;
  llvm::StringMap<mlir::func::FuncOp> functions; ///< by text without the name
  int64_t numOutlined = 0;
};

} // namespace pcc::lower
