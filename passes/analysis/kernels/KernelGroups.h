// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups ops into kernels. Every op starts as a group. Two groups join if a single pass of loops
// computes both (KernelLoops.h) and no other op would have to run between them:
//
//   %0 = graph.matmul %x, %w         kernel 0
//   %1 = graph.broadcast %b, [1]     computed where it is read: no kernel
//   %2 = graph.add %0, %1            kernel 0: the matmul adds the bias
//   %3 = graph.gelu %2               kernel 1
//   %4 = graph.neg %3                kernel 1
//
// Phase fuse makes its kernels by these rules (passes/fusion/AssignKernels.cpp), and the cost model
// predicts them (passes/analysis/cost/KernelShares.h). A prediction also works before ops are
// decomposed, partitioned or rewritten for the target: composites count as one op.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/kernels/KernelLoops.h"
#include "llvm/ADT/DenseMap.h"
#include <list>

namespace pcc::analysis {

/// Largest number of ops in a generated kernel; collectives, scatters and library calls are exempt
/// (isSpecialKernel). LLVM's time for a function grows faster than the function, and the code
/// generator recurses over the ops of a kernel.
inline constexpr size_t maxKernelOps = 128;

/// Ops that will be one kernel, in program order.
struct KernelGroup {
  KernelLoops loops;
  llvm::SmallVector<mlir::Operation *, 4> ops;
  int64_t fence = 0; ///< number of all its ops (FenceOf)
};

/// Returns the fence of an op, for example the pipeline section that it will run in. Ops share
/// kernels only with ops of the same fence.
using FenceOf = llvm::function_ref<int64_t(mlir::Operation *)>;

/// Returns the same fence for all ops.
inline int64_t noFence(mlir::Operation *) { return 0; }

/// Groups of a function under construction.
class KernelGroups {
public:
  explicit KernelGroups(mlir::func::FuncOp function, FenceOf fenceOf = noFence);

  /// Returns null for an op that is computed where it is read, is a constant in memory, or is dead.
  KernelGroup *of(mlir::Operation *op) const { return groupOf.lookup(op); }
  /// Joins two different groups under `loops`. Returns false and changes nothing if
  ///   - their fences differ
  ///   - a generated kernel would have more than maxKernelOps ops
  ///   - the loops do not fit all ops (fits)
  ///   - a third group would have to run between them, or the search for one visits more than 1000
  ///     groups
  bool join(KernelGroup *a, KernelGroup *b, const KernelLoops &loops);
  /// Returns the groups in an executable order: communication as early as possible, the rest in
  /// program order.
  llvm::SmallVector<KernelGroup *> order() const;
  size_t numOps() const { return groupOf.size(); }

private:
  bool dependsThroughOthers(KernelGroup *from, KernelGroup *to) const;

  std::list<KernelGroup> groups; ///< groups that joined another are empty
  /// Next group of sends, receives or barriers. These groups stay in program order, because ranks
  /// wait for one another there. They never join.
  llvm::DenseMap<KernelGroup *, KernelGroup *> nextEffect;
  llvm::DenseMap<mlir::Operation *, KernelGroup *> groupOf;
  /// Ops with groups that read an op's results, directly or through recomputed ops.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 4>> readers;
};

/// Joins ops that are worth it: matmuls and convolutions with the bias and the ReLU that follow
/// them, unless they are annotated (dialects/task/EpilogueAttrs.h). Then elementwise ops,
/// reductions and index maps with the producers of their operands.
void joinGroups(KernelGroups &groups, mlir::func::FuncOp function);

/// Returns the number of each op's kernel, if it has one: kernels that phase fuse assigned, or else
/// kernels that it would assign to the ops as they are.
llvm::DenseMap<mlir::Operation *, int64_t> numberKernels(mlir::func::FuncOp function,
                                                         FenceOf fenceOf = noFence);

} // namespace pcc::analysis
