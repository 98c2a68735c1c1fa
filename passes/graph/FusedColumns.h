// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose columns are split into pieces by what follows: the one weight is several in truth.
//
//   x · W [+ b]   [2, 5, 192] -> reshape [2, 5, 3, 4, 16] -> transpose [3, 2, 4, 5, 16] -> slices
//
// Here the columns c of W lie, from the slowest on, in dimensions (2), then (2, 3, 4), then
// (0, 2, 4), whose first is cut: pieces have the columns 0 to 63, 64 to 127 and 128 to 191 of each
// period of 192. Heads before the pieces, [2, 5, 4, 3, 16], make the period 48: a piece then takes
// 16 columns of every 48.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// The columns of a piece, `begin` to `end` in every period.
struct ColumnRange {
  int64_t begin = 0, end = 0;
  bool operator==(const ColumnRange &) const = default;
};

/// An op between the product and the cuts, and the dimensions of its result that the columns lie
/// in, the slowest first; dimensions of size one are left out.
struct ColumnStep {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> dims;
};

/// A value that is one piece: a slice, or a result of a split.
struct ColumnCut {
  mlir::Value value;
  ColumnRange range;
  llvm::SmallVector<ColumnStep> path; ///< from the product, excluding both
};

struct FusedProduct {
  mlir::Operation *product = nullptr; ///< a matmul or an einsum
  mlir::BlockArgument weight;
  int64_t columns = 0;      ///< of the weight
  int64_t weightDim = 0;    ///< of the weight, that the columns are
  mlir::BlockArgument bias; ///< null: none
  int64_t period = 0;
  llvm::SmallVector<ColumnRange> pieces; ///< in order; together a period
  llvm::SmallVector<ColumnCut> cuts;     ///< all that reads the product, in the order of pieces
};

/// `op` as a fused product: nothing unless everything that reads it is cuts into at least two
/// pieces which together are all columns, and its weight and bias have no other reader.
std::optional<FusedProduct> findFusedProduct(mlir::Operation *op);

/// `shape`, whose `dims` hold all columns of `product`, with those of `range` alone; nothing where
/// a dimension would have to be cut in more than one place.
std::optional<llvm::SmallVector<int64_t>> narrowColumns(const FusedProduct &product,
                                                        llvm::ArrayRef<int64_t> shape,
                                                        llvm::ArrayRef<int64_t> dims,
                                                        ColumnRange range);

} // namespace pcc::graph
