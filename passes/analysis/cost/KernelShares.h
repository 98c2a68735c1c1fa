// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the traffic and launches of each op that remain once ops run together in kernels. The
// estimate comes before kernels are assigned, and works on the ops of any phase:
//
//   %0 = graph.matmul %x, %w          reads both, launches
//   %1 = graph.broadcast %b, [1]      reads %b: computed where it is read
//   %2 = graph.add %0, %1             written by the kernel of the matmul, which adds the bias
//   %3 = graph.gelu %2                reads %2, launches
//   %4 = graph.neg %3                 reads nothing: of the kernel of %3; written
//
// The cost of a kernel is thus the sum of the costs of its ops. Each of these costs depends on the
// shapes of one op alone, as a search over the ops' shardings needs. The sum is at least the
// roofline of the kernel and at most twice that.
//
// Kernels are those that the phase fuse would build if its rules
// (passes/fusion/JoinGroups.cpp) were applied in program order to the current shapes.
// Elementwise ops and reductions join the producers of their operands if both loop over the same
// rows or columns. Matmuls, convolutions, attentions, scatters and collectives read and write
// memory, except for the bias and the rectifier after a matmul. Ops that move elements read memory,
// and views cost nothing. A value that the schedule then recomputes instead of writing counts as
// written.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace pcc::analysis {

/// Share of one op in its kernel's traffic and launch.
struct KernelShare {
  llvm::SmallBitVector reads;  ///< operands that it is the first of its kernel to read from memory
  llvm::SmallBitVector writes; ///< results that another kernel reads, or the caller
  bool launches = true;        ///< whether it is the first op of its kernel

  /// Returns the share of an op that is a kernel of its own.
  static KernelShare ofAlone(mlir::Operation *op);
};

/// Numbers an op: ops share kernels only with ops of the same number.
using FenceOf = llvm::function_ref<int64_t(mlir::Operation *)>;

/// Shares of all ops of a function's body.
class KernelShares {
public:
  explicit KernelShares(
      mlir::func::FuncOp function, FenceOf fenceOf = [](mlir::Operation *) { return 0; });

  const KernelShare &of(mlir::Operation *op) const { return shares.find(op)->second; }

private:
  llvm::DenseMap<mlir::Operation *, KernelShare> shares;
};

} // namespace pcc::analysis
