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

/// The only op that reads `value`, or null.
mlir::Operation *onlyReader(mlir::Value value);

} // namespace pcc::facts
