// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops after a matmul or a convolution that may be part of its instruction.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::analysis {

/// Returns true if an instruction can read `value`, or the root of its views, from a buffer: the
/// value is not recomputed where it is read.
bool liesInMemory(mlir::Value value);

/// Returns true if `value` is a vector in memory, repeated along all dimensions except `dim`. `dim`
/// is the last dimension for a matmul, the channels for a convolution.
bool isBias(mlir::Value value, int64_t dim);

/// Returns the operand of the matmul that `sum` sums along k, so that the matmul's instruction can
/// compute the sum. This is the left operand if it is transposed, or the right one if it is not.
/// Views of the operand are followed.
std::optional<unsigned> factorSummedBy(graph::ReduceOp sum, graph::MatmulOp product);

/// Returns the only op that reads `value`, or null.
mlir::Operation *onlyReader(mlir::Value value);

} // namespace pcc::analysis
