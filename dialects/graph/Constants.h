// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that repeat: one element everywhere, or equal parts along a dimension.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// Returns `type` filled with `value`, rounded to the element type. Integers truncate toward zero;
/// values out of range become the least or greatest integer, and NaN becomes 0.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// Returns the value of every element of a splat; nothing if `attribute` is not a splat.
std::optional<double> getSplat(mlir::Attribute attribute);

/// Returns the same for a value that a `graph.constant` defines.
std::optional<double> getSplat(mlir::Value value);

/// Returns the first of `count` parts of `value` along dimension `dim` if all parts are equal bit
/// by bit, else null. `count` must divide the dimension.
mlir::ElementsAttr cutRepeated(mlir::ElementsAttr value, unsigned dim, int64_t count);

} // namespace pcc::graph
