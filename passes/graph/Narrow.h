// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Undoes the repetition of values along dimensions. Exporters expand small masks to the shape of
// the scores.
#pragma once

#include "passes/graph/Match.h"

namespace pcc::graph {

/// Known numbers. A dimension of size 1 may stand for a repetition along this dimension.
struct Numbers {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values;

  /// Returns the number at the row-major `index` of a tensor of shape `of`, of equal rank.
  double at(int64_t index, llvm::ArrayRef<int64_t> of) const { return *find(index, of); }
  /// Returns a pointer to this number. Those of the same row follow it, if the row has several.
  const double *find(int64_t index, llvm::ArrayRef<int64_t> of) const;
};

/// Returns the numbers of a value that constants or indices define, up to repetition and selection.
std::optional<Numbers> readNumbers(mlir::Value value);

/// Returns `small` in the rank of `target`. `small` is `whole` with some dimensions reduced to 1;
/// `target` has as many elements as `whole`. Fails if a dimension of `target` consists of reduced
/// dimensions and others.
std::optional<llvm::SmallVector<int64_t>> fitShape(llvm::ArrayRef<int64_t> whole,
                                                   llvm::ArrayRef<int64_t> small,
                                                   llvm::ArrayRef<int64_t> target);

/// Returns `value` in the rank of `target`, a shape with as many elements. Dimensions along which
/// `value` repeats have size 1.
mlir::Value narrow(mlir::Value value, llvm::ArrayRef<int64_t> target,
                   mlir::PatternRewriter &rewriter, mlir::Location loc);

} // namespace pcc::graph
