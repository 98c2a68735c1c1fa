// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts, before composites are decomposed, which kernels the ops of a function will become:
//
//   %0 = graph.layer_norm %x, %s, %b      parts: sums of the mean and the variance, sub, mul, …
//   %1 = graph.gelu %0                    parts: mul, erf, add, mul, in the kernel of that mul
//
// A copy of the function is decomposed, common subexpressions are merged, and its ops are grouped
// into kernels (passes/analysis/cost/KernelShares.h). A part is an op of the copy; it belongs to
// the op from which it came. A derivative that computes again what its forward op computes thus has
// fewer parts.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/cost/KernelShares.h"

namespace pcc::analysis {

/// Replaces a composite, except attention, by core ops, and returns them in order. Returns `op`
/// itself if it is a core op or attention.
llvm::SmallVector<mlir::Operation *> expand(mlir::Operation *op);

/// An op of the decomposition of an op, or the op itself.
struct ExpectedPart {
  unsigned index = 0; ///< position in the list that expand() returns
  mlir::Operation *op = nullptr;
  KernelShare share;
};

/// How a value passes from an op to a reader.
struct ExpectedLink {
  bool isInKernel = false; ///< within a kernel
  bool isWritten = false;  ///< the kernel that computes it writes it to memory, for any reader
};

/// The parts of all ops of a function's body.
class ExpectedKernels {
public:
  explicit ExpectedKernels(mlir::func::FuncOp function);

  /// Returns the parts of `op`. There are none if other ops compute all of it.
  llvm::ArrayRef<ExpectedPart> partsOf(mlir::Operation *op) const;
  /// Returns how `reader` gets the results of `producer`.
  ExpectedLink findLink(mlir::Operation *producer, mlir::Operation *reader) const {
    return links.lookup({producer, reader});
  }

private:
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ExpectedPart, 1>> parts;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, ExpectedLink> links;
};

} // namespace pcc::analysis
