// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops over a row of a row kernel, one for each level of its reductions.
//
//   level 0   max  = max x                    loop 0: max
//   level 1   sum  = sum exp(x - max)         loop 1: sum
//   level 2   y    = exp(x - max) / sum       loop 2: y
//
// A level is as deep as the reductions on which its values depend.
#pragma once

#include "passes/lower/KernelLoops.h"

namespace pcc::lower {

/// What one loop over the row does.
struct RowLevel {
  llvm::SmallVector<mlir::Operation *> reductions;
  llvm::SmallVector<unsigned> results; ///< full results that are stored
};

/// True if the op combines the elements of a row of the form, which lie next to each other.
bool isRowReduction(mlir::Operation *op, task::FormAttr form);

llvm::SmallVector<RowLevel> findRowLevels(const KernelBody &kernel);

/// The index of the element of a row in a value of all elements, and of the row in one of a number
/// per row.
inline Index fullIndexOf(const KernelBody &kernel, mlir::Value tensor, mlir::Value row,
                         mlir::Value column) {
  return kernel.math().regroup(
      {{row, {kernel.form.getOuter()}}, {column, {kernel.form.getInner()}}}, shapeOf(tensor));
}
inline Index rowIndexOf(const KernelBody &kernel, mlir::Value tensor, mlir::Value row) {
  return kernel.math().regroup({{row, {kernel.form.getOuter()}}}, shapeOf(tensor));
}

} // namespace pcc::lower
