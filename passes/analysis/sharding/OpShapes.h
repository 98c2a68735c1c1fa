// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of an op's operands and results on one rank, without rewriting the op:
//
//   matmul 8x4 by 4x2 on 2x2 ranks, rows and depth split     operands 4x2, 2x2    results 4x2
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/Operation.h"

namespace pcc::analysis {

using Shape = llvm::SmallVector<int64_t, 4>;

struct OpShapes {
  llvm::SmallVector<Shape, 4> operands;
  llvm::SmallVector<Shape, 2> results;

  /// Returns the current shapes of `op`. A value that is no tensor has no elements: the shape [0].
  static OpShapes of(mlir::Operation *op);
  /// Returns the shapes on a rank if factor f of `rule`, which is the op's, is cut into `counts[f]`
  /// parts.
  static OpShapes split(mlir::Operation *op, const FactorRule &rule,
                        llvm::ArrayRef<int64_t> counts);
};

/// The product of the sizes.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

} // namespace pcc::analysis
