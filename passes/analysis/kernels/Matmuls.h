// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a contraction into matmuls as a machine computes them: `batch` matmuls of [rows, depth] by
// [depth, columns] each.
//
//   op                        batch  rows    columns  depth
//   matmul                    b      i       j        k
//   conv2d                           n y x   o        c v u        one column per output channel
//   its input gradient               n y x   c v u    o
//   its weight gradient              o       c v u    n y x
//   attention                 b h    q       k        d            scores, then
//                             b h    q       d        k            their mean of the values
//
// The gradient of attention has five matmuls. A causal attention computes a part of each.
//
// Costs read these matmuls, and so do the flops of the model (ModelFlops.h), from which reports
// compute the model flops utilization (MFU).
#pragma once

#include "passes/analysis/sharding/OpShapes.h"
#include "runtime/machine/MatmulSize.h"

namespace pcc::analysis {

/// One matmul in terms of the op's dimensions, so that it can be evaluated on any local shapes.
class MatmulForm {
public:
  /// A dimension of an operand, or of a result.
  struct Dim {
    unsigned tensor, dim;
    bool isResult = false;
  };
  using Dims = llvm::SmallVector<Dim, 3>;

  MatmulForm(Dims batch, Dims rows, Dims columns, Dims depth)
      : batch(std::move(batch)), rows(std::move(rows)), columns(std::move(columns)),
        depth(std::move(depth)) {}
  /// Makes it that of a causal attention, whose positions are these dimensions.
  void setCausal(Dim queries, Dim keys) { triangle = {queries, keys}; }

  machine::MatmulSize at(const OpShapes &shapes) const;

private:
  Dims batch, rows, columns, depth;
  Dims triangle; ///< queries and keys of a causal attention, else empty
};

/// Returns the matmuls of `op`; none if `op` is no contraction.
llvm::SmallVector<MatmulForm, 1> listMatmuls(mlir::Operation *op);

} // namespace pcc::analysis
