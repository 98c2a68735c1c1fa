// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes the traffic and the launches of kernels over their ops, in any phase. The kernels are
// those that phase fuse assigned, or else those that it would assign to the ops as they are
// (passes/analysis/kernels/KernelGroups.h):
//
//   %0 = graph.matmul %x, %w         reads both, launches
//   %1 = graph.broadcast %b, [1]     reads %b: computed where it is read
//   %2 = graph.add %0, %1            reads nothing: part of the matmul; written
//   %3 = graph.gelu %2               reads %2, launches
//   %4 = graph.neg %3                reads nothing: part of the kernel of %3; written
//
// The cost of a kernel is thus the sum of the costs of its ops. Each of these costs depends on the
// shapes of one op alone, as a search over the ops' shardings needs. The sum is at least the
// roofline of the kernel and at most twice that.
#pragma once

#include "passes/analysis/kernels/KernelGroups.h"
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

/// Shares of all ops of a function's body.
class KernelShares {
public:
  explicit KernelShares(mlir::func::FuncOp function, FenceOf fenceOf = noFence);

  const KernelShare &of(mlir::Operation *op) const { return shares.find(op)->second; }
  /// Whether `value` passes from its producer to `reader` within a kernel.
  bool passesInKernel(mlir::Value value, mlir::Operation *reader) const;

private:
  llvm::DenseMap<mlir::Operation *, int64_t> kernels; ///< numbers
  llvm::DenseMap<mlir::Operation *, KernelShare> shares;
};

// Counts the memory of a function's values, if it runs in program order and frees each value after
// its last reader:
//
//   %0 = graph.matmul %x, %w      live: %0
//   %1 = graph.broadcast %b       computed where it is read: takes nothing
//   %2 = graph.add %0, %1         live: %0, %2
//   %3 = graph.gelu %2            live: %2, %3      the peak, if all have one size
//   return %3                     live: %3
//
// Values that stay within one kernel take nothing. Arguments and returned values are not counted:
// the caller of the function holds them.

/// Returns the peak of the live bytes. `bytesOf` counts one value.
int64_t countLiveBytes(mlir::func::FuncOp function, const KernelShares &shares,
                       llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace pcc::analysis
