// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose elements are all equal.
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

} // namespace pcc::graph
