// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands behind a product or a convolution and may be part of its record.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::facts {

/// True if a record can read `value`, or what it is a view of, from a buffer: nobody computes it
/// where it is read.
bool liesInMemory(mlir::Value value);

/// True if `value` is a vector in memory, repeated along all dimensions but `dim`: of a product's
/// result the last one, of a convolution's the channels.
bool isBias(mlir::Value value, int64_t dim);

/// Which operand of the product `sum` sums along k, so that the record of the product can: the left
/// one if it is transposed, else the right one if that is not. Columns are seen through any views.
std::optional<unsigned> factorSummedBy(graph::ReduceOp sum, graph::MatmulOp product);

/// The only op that reads `value`, or null.
mlir::Operation *onlyReader(mlir::Value value);

} // namespace pcc::facts
