// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loops over a row of a row kernel, one for each level of its reductions.
//
//   level 0   max  = max x                    loop 0: max
//   level 1   sum  = sum exp(x - max)         loop 1: sum
//   level 2   y    = exp(x - max) / sum       loop 2: y
//
// The level of a value is the number of reductions on the longest path to it.
#pragma once

#include "passes/lower/host/loops/KernelLoops.h"

namespace pcc::lower {

/// Work of one loop over the row.
struct RowLevel {
  llvm::SmallVector<mlir::Operation *> reductions;
  llvm::SmallVector<unsigned> results; ///< full results that are stored
};

/// Returns true if the op combines the elements of a row of the form, which must be adjacent.
bool isRowReduction(mlir::Operation *op, task::FormAttr form);

llvm::SmallVector<RowLevel> findRowLevels(const KernelBody &kernel);

/// Returns the index of a row's element in a value of all elements (fullIndexOf), or of the row in
/// a value with one number per row (rowIndexOf).
inline Index fullIndexOf(const KernelBody &kernel, mlir::Value tensor, mlir::Value row,
                         mlir::Value column) {
  return kernel.math().regroup(
      {{row, {kernel.form.getOuter()}}, {column, {kernel.form.getInner()}}}, shapeOf(tensor));
}
inline Index rowIndexOf(const KernelBody &kernel, mlir::Value tensor, mlir::Value row) {
  return kernel.math().regroup({{row, {kernel.form.getOuter()}}}, shapeOf(tensor));
}

} // namespace pcc::lower
