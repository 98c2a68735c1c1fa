// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What remains of each op's traffic and launches once ops run together in kernels, estimated before
// the schedule decides, and on any stage's ops:
//
//   %0 = graph.matmul %x, %w          reads both, launches
//   %1 = graph.broadcast %b, [1]      reads %b: computed where it is read
//   %2 = graph.add %0, %1             written: %3 is of the same kernel, %4 is not
//   %3 = graph.gelu %2                reads and launches nothing, is written
//   %4 = graph.matmul %3, %v          reads both, launches
//
// So the price of a kernel is the sum of the prices of its ops, each of which depends on the
// shapes of that op alone: what a search over the ops' shardings asks for. The sum is at least the
// roofline of the kernel and at most twice that.
//
// Kernels are those that the schedule would build if its rules (passes/schedule/Join.cpp) were
// applied in program order to the shapes that the ops have now: elementwise ops and reductions join
// the producers of their operands where both loop over the same rows or columns; products,
// convolutions, attentions, scatters and collectives read and write memory, but for the bias and
// the rectifier behind a product; what moves elements reads memory, and views cost nothing. What
// the schedule then computes again instead of writing it counts as written.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace pcc::facts {

/// Of one op.
struct KernelShare {
  llvm::SmallBitVector reads;  ///< operands that it is the first of its kernel to read from memory
  llvm::SmallBitVector writes; ///< results that another kernel reads, or the caller
  bool launches = true;        ///< whether it is the first op of its kernel

  /// Of an op that is a kernel of its own.
  static KernelShare ofAlone(mlir::Operation *op);
};

/// Ops share kernels only with ops of the same number: `fenceOf` an op.
using FenceOf = llvm::function_ref<int64_t(mlir::Operation *)>;

/// Of each op of a function's body.
class KernelShares {
public:
  explicit KernelShares(
      mlir::func::FuncOp function, FenceOf fenceOf = [](mlir::Operation *) { return 0; });

  const KernelShare &of(mlir::Operation *op) const { return shares.find(op)->second; }

private:
  llvm::DenseMap<mlir::Operation *, KernelShare> shares;
};

} // namespace pcc::facts
