// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a kernel, by form. Work is cut into iterations by size alone, so that the bits do
// not depend on the number of threads.
#pragma once

#include "dialects/task/Task.h"
#include "passes/lower/Elements.h"

namespace pcc::lower {

/// One kernel under construction.
struct KernelBody {
  mlir::func::FuncOp function; ///< core ops on tensors
  task::FormAttr form;
  Elements &elements;
  llvm::SmallVector<mlir::Value> results;  ///< what the function returns
  llvm::SmallVector<mlir::Value> pointers; ///< where each result goes

  mlir::ImplicitLocOpBuilder &builder() const { return elements.b; }
  IndexMath &math() const { return elements.math; }
  mlir::Type elementType(unsigned result) const {
    return llvm::cast<mlir::ShapedType>(results[result].getType()).getElementType();
  }
};

/// The number of iterations of a kernel of this form, and the size of one: elements (map), rows
/// (rows), columns (columns), slabs (scatter).
struct Iterations {
  int64_t trip = 1;
  int64_t size = 1;
};
Iterations iterationsOf(mlir::func::FuncOp kernel, task::FormAttr form);

/// The sizes of the nested loops that visit every element of a map kernel in order: one loop where
/// no op tells dimensions apart, more where one does.
llvm::SmallVector<int64_t> mapLoops(mlir::func::FuncOp kernel, int64_t elements);

// Emit the iterations begin ≤ i < end.
void emitMap(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitRows(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitColumns(KernelBody &kernel, mlir::Value begin, mlir::Value end);
void emitScatter(KernelBody &kernel, mlir::Value begin, mlir::Value end);

} // namespace pcc::lower
