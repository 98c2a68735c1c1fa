// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a function: which ops run together as one record. The schedule annotates them, lower
// outlines them; both read them back from here.
//
//   %0 = graph.matmul %x, %w  {task.kernel = 0}
//   %1 = graph.broadcast %b, [1]               computed where it is read: no kernel
//   %2 = graph.add %0, %1     {task.kernel = 0}
//   %3 = graph.exp %2         {task.kernel = 1}
//
// with `task.forms = [#task.form<matmul …>, #task.form<map …>]` on the function, one per kernel in
// the order in which they run.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::facts {

// The annotations of passes/schedule.
using task::bytesAttrName;
using task::earlyAttrName;
using task::formsAttrName;
using task::kernelAttrName;
using task::placeAttrName;

/// Where a kernel runs that needs nothing but what another section leaves in its last slot.
struct EarlyPlace {
  llvm::StringRef section;
  int64_t behind = -1; ///< the number of the kernel there behind which it runs; -1: before all
};

/// One kernel of a scheduled function.
struct Kernel {
  int64_t number = 0;
  task::FormAttr form;
  std::optional<EarlyPlace> early;          ///< nothing: it runs in its own section
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order
  llvm::SetVector<mlir::Value> inputs;      ///< buffers that it reads, in order of first use
  llvm::SmallVector<mlir::Value> outputs;   ///< its values that are read outside
};

/// True if `op` is so cheap that it is computed again in every kernel that reads it: splat
/// constants, iota, broadcasts, views, the rank. An op that the schedule gave a kernel of its own
/// (because something needs its value in memory) is not.
bool isRecomputed(mlir::Operation *op);

/// True if the result is the operand under another shape: reshape, reduction of dimensions of size
/// one.
bool isView(mlir::Operation *op);

/// The loops that a reduction asks for: `rows` if the dimensions combined are the last ones,
/// `columns` if they are the first ones, `rows` over the result's elements for any others (then
/// `contiguous` is false: the elements of a row do not lie next to each other).
struct ReductionLoops {
  task::FormKind kind = task::FormKind::Rows;
  int64_t outer = 1;
  int64_t inner = 1;
  bool contiguous = true;
};
ReductionLoops getReductionLoops(mlir::Operation *reduce);

/// The value whose buffer holds `value`: follows views.
mlir::Value viewRoot(mlir::Value value);

/// Where the memory plan has put a value that is no view; null for none, as constants have.
task::PlaceAttr getPlace(mlir::Value value);

/// True if `op` calls the communication library: collectives, and messages between stages.
bool isCollective(mlir::Operation *op);

/// True if `op` is a convolution or one of its gradients.
bool isConvolution(mlir::Operation *op);

/// True if `op` is an attention or its gradient, whose record writes all results, read or not.
bool isAttention(mlir::Operation *op);

/// The kernel number that the schedule gave to `op`.
std::optional<int64_t> getKernelNumber(mlir::Operation *op);

/// Calls `callback` for every value that `op` reads through recomputed ops: arguments, results of
/// ops with kernels, and constants that lie in memory. `chain` holds the recomputed ops between,
/// nearest to `op` first.
void forEachSource(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<mlir::Operation *> chain)> callback);

/// Calls `callback` for every op that reads `value`, directly or through recomputed ops; the
/// function's return is among them.
void forEachReader(mlir::Value value, llvm::function_ref<void(mlir::Operation *)> callback);

/// True if the record of the kernel can add its first output to a sum over slots by itself: a
/// product of f32 without anything behind it; beside it there may be a sum of a factor.
bool addsByItself(const Kernel &kernel);

/// The kernels of an annotated function in the order in which they run.
llvm::SmallVector<Kernel> collectKernels(mlir::func::FuncOp function);

} // namespace pcc::facts
