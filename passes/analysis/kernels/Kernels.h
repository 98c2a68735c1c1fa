// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a function: groups of ops that run together as one instruction. The schedule annotates
// the kernels and lower outlines them; both read them back from here.
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

namespace pcc::analysis {

// The annotations of passes/schedule.
using task::bytesAttrName;
using task::formsAttrName;
using task::hoistedAttrName;
using task::kernelAttrName;
using task::placeAttrName;

/// Place of a hoisted kernel, which runs in another section than its own. It reads only values that
/// this section leaves in its last action.
struct HoistedPlace {
  llvm::StringRef section;
  int64_t behind = -1; ///< runs after this kernel of that section; -1: before all
};

/// One kernel of a scheduled function.
struct Kernel {
  int64_t number = 0;
  task::FormAttr form;
  std::optional<HoistedPlace> hoisted;      ///< nothing: it runs in its own section
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order
  llvm::SetVector<mlir::Value> inputs;      ///< buffers that it reads, in order of first use
  llvm::SmallVector<mlir::Value> outputs;   ///< its values that are read outside
};

/// Sorts hoisted kernels that run in one section by their places there; `placeOf` returns the place
/// of an element. Kernels of several sections may have the same place, and then keep their order.
template <typename Range, typename PlaceOf> void sortByPlace(Range &&kernels, PlaceOf placeOf) {
  llvm::stable_sort(
      kernels, [&](const auto &a, const auto &b) { return placeOf(a).behind < placeOf(b).behind; });
}

/// Returns true if `op` is so cheap that every kernel that reads it computes it again: splat
/// constants, iota, broadcasts, views, the rank and numbers computed from it. False for an op to
/// which the schedule gave a kernel of its own, because its value must lie in memory.
bool isRecomputed(mlir::Operation *op);

/// Returns true if the result is the operand under another shape: reshape, reduction of dimensions
/// of size one.
bool isView(mlir::Operation *op);

/// Loops of a reduction: `rows` if the combined dimensions are the last ones, `columns` if they are
/// the first ones. All others loop in `rows` over the result's elements, with `contiguous` false:
/// the elements of a row are not adjacent.
struct ReductionLoops {
  task::FormKind kind = task::FormKind::Rows;
  int64_t outer = 1;
  int64_t inner = 1;
  bool contiguous = true;
};
ReductionLoops getReductionLoops(mlir::Operation *reduce);

/// Returns the value whose buffer holds `value`: follows views.
mlir::Value viewRoot(mlir::Value value);

/// Returns the place that the memory plan gives to a value that is no view; null without a place,
/// as for constants.
task::PlaceAttr getPlace(mlir::Value value);

/// Returns true if `op` calls the communication library: collectives, and transfers between stages.
bool isCollective(mlir::Operation *op);

/// Returns whether devices have instructions for matmuls and convolutions of `element`: f32, f16
/// and bf16. Kernels compute those of f64, and matmuls of integers.
bool hasInstructions(mlir::Type element);

/// Returns true if `op` is a convolution or one of its gradients.
bool isConvolution(mlir::Operation *op);

/// Returns true if `op` is an attention or its gradient. Their instructions write all results, read
/// or not.
bool isAttention(mlir::Operation *op);

/// Returns the kernel number that the schedule gave to `op`.
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

/// Returns true if the kernel's instruction can itself add its first output to a sum over actions:
/// an f32 matmul without any op after it. A sum of a factor may run beside it.
bool addsByItself(const Kernel &kernel);

/// Returns the number of the kernel behind which an accumulated result is added to its sum: that of
/// the kernel that computes it, or the last one before which a collective is done (`task.done`); -1
/// for a value that no kernel computes.
int64_t findAddition(mlir::Value result);

/// Returns the kernels of an annotated function in the order in which they run.
llvm::SmallVector<Kernel> collectKernels(mlir::func::FuncOp function);

} // namespace pcc::analysis
