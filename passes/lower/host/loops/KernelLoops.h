// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loops of a kernel, by form. Work is cut into iterations by size alone, so that the bits
// do not depend on the number of threads.
#pragma once

#include "dialects/task/Task.h"
#include "passes/lower/elements/Elements.h"
#include "llvm/Support/MathExtras.h"

namespace pcc::lower {

/// One kernel under construction.
struct KernelBody {
  mlir::func::FuncOp function; ///< core ops on tensors
  task::FormAttr form;
  Elements &elements;
  llvm::SmallVector<mlir::Value> results;  ///< values that the function returns
  llvm::SmallVector<mlir::Value> pointers; ///< destination of each result

  mlir::ImplicitLocOpBuilder &builder() const { return elements.b; }
  IndexMath &math() const { return elements.math; }
  mlir::Type elementType(unsigned result) const {
    return llvm::cast<mlir::ShapedType>(results[result].getType()).getElementType();
  }
};

/// Minimum number of elements of one iteration, if a form leaves the choice.
inline constexpr int64_t elementsPerIteration = 4096;

/// Number of iterations of a kernel, and the size of one: blocks of the innermost loops (map), rows
/// (rows), columns (columns), slabs (scatter).
struct Iterations {
  int64_t trip = 1;
  int64_t size = 1;
};
inline Iterations cutIntoIterations(int64_t total, int64_t size) {
  return {int64_t(llvm::divideCeil(total, size)), size};
}

/// Loops of a kernel that combines rows for blocks of columns: `groups` times `columns` results,
/// each of `rows` elements. The results of one group are adjacent in every row.
///
///   reduce over 0 of 4096x512     rows 4096, 1 group of 512 columns
///   reduce over 1 of 64x256x512   rows 256, 64 groups of 512 columns
struct ColumnLoops {
  int64_t groups = 1;
  int64_t rows = 1;
  int64_t columns = 1;
};
/// Returns the column loops of a kernel; null if it has none. Every kernel of form columns has
/// them. A kernel of form rows has them if its reductions combine elements that are not adjacent,
/// but have adjacent results.
std::optional<ColumnLoops> columnLoops(mlir::func::FuncOp kernel, task::FormAttr form);
/// Returns the reductions of such a kernel over which its loops go.
llvm::SmallVector<mlir::Operation *> columnReductions(const KernelBody &kernel);

Iterations mapIterations(mlir::func::FuncOp kernel, task::FormAttr form);
Iterations rowIterations(task::FormAttr form);
Iterations columnIterations(mlir::func::FuncOp kernel, const ColumnLoops &loops);
Iterations iterationsOf(mlir::func::FuncOp kernel, task::FormAttr form);

/// Returns the sizes of nested loops over `count` units of `unit` elements each. The innermost
/// loops go over values of `elements` elements. There is one loop if no op distinguishes
/// dimensions, else several.
llvm::SmallVector<int64_t> loopSizes(mlir::func::FuncOp kernel, int64_t elements, int64_t count,
                                     int64_t unit);
/// Returns the sizes of the nested loops that visit every element of a map kernel in order.
inline llvm::SmallVector<int64_t> mapLoops(mlir::func::FuncOp kernel, int64_t elements) {
  return loopSizes(kernel, elements, elements, 1);
}

/// Emits one loop for each of `sizes`, the last one innermost. Calls `body` with `outer` followed
/// by the loops' induction variables.
void emitNest(KernelBody &kernel, llvm::ArrayRef<int64_t> sizes, const Index &outer,
              llvm::function_ref<void(const Index &)> body);

/// Emits the same loops with values carried between iterations; returns the values after the last
/// one.
llvm::SmallVector<mlir::Value>
emitNest(KernelBody &kernel, llvm::ArrayRef<int64_t> sizes, const Index &outer,
         mlir::ValueRange initial,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(const Index &, mlir::ValueRange)> body);

// Emit the iterations begin ≤ i < end.
void emitMap(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitRows(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitColumns(KernelBody &kernel, const ColumnLoops &loops, mlir::Value begin, mlir::Value end);
void emitScatter(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitPoolGradient(KernelBody &kernel, mlir::Value begin, mlir::Value end);
/// Emits the iterations with the loops of the kernel's form.
void emitIterations(KernelBody &kernel, mlir::Value begin, mlir::Value end);

} // namespace pcc::lower
