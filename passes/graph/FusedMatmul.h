// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds matmuls whose columns are split into parts by the following ops: one weight stands for
// several. A cut is the slice, or the result of a split, that takes a part.
//
// A matmul qualifies if it multiplies a matrix of rows by its weight, an einsum if its result ends
// with a dimension of the weight alone. Weight and bias are arguments of the function without
// another reader. All paths from the result lead to cuts through reshapes, transposes and the
// addition of one bias.
//
//   x · W [+ b]   [2, 5, 192] -> reshape [2, 5, 3, 4, 16] -> transpose [3, 2, 4, 5, 16] -> slices
//
// Here the columns of W lie, slowest first, in dimensions (2), then (2, 3, 4), then (0, 2, 4),
// whose first is cut. The three parts have the columns 0 to 63, 64 to 127 and 128 to 191 of
// each period of 192. With heads before the parts, [2, 5, 4, 3, 16], the period is 48: a part then
// takes 16 columns of every 48.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// The columns of a part, `begin` to `end` in every period.
struct ColumnRange {
  int64_t begin = 0, end = 0;
  bool operator==(const ColumnRange &) const = default;
};

/// An op between the matmul and the cuts. `dims` are the dimensions of its result that hold the
/// columns, slowest first, without dimensions of size one.
struct ColumnStep {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> dims;
};

/// A cut, and the path to it.
struct ColumnCut {
  mlir::Value value; ///< one part: a slice, or a result of a split
  ColumnRange range;
  llvm::SmallVector<ColumnStep> path; ///< from the matmul, excluding both
};

struct FusedMatmul {
  mlir::Operation *matmul = nullptr; ///< a matmul or an einsum
  mlir::BlockArgument weight;
  int64_t columns = 0;      ///< of the weight
  int64_t weightDim = 0;    ///< dimension of the weight that holds the columns
  mlir::BlockArgument bias; ///< null: none
  int64_t period = 0;
  llvm::SmallVector<ColumnRange> parts; ///< in order; together a period
  llvm::SmallVector<ColumnCut> cuts;    ///< all readers of the matmul, in the order of parts
};

/// Returns `op` as a fused matmul, or nothing. All its readers must be cuts into at least two
/// parts that together are all columns. Its weight and bias must have no other reader.
std::optional<FusedMatmul> findFusedMatmul(mlir::Operation *op);

/// Returns `shape`, whose `dims` hold all columns of `matmul`, with the columns of `range` alone.
/// Returns nothing if a dimension would have to be cut in more than one place.
std::optional<llvm::SmallVector<int64_t>> narrowColumns(const FusedMatmul &matmul,
                                                        llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<int64_t> dims,
                                                        ColumnRange range);

} // namespace pcc::graph
