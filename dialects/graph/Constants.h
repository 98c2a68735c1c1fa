// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose elements are all equal.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// `type` filled with `value`, rounded to the element type: integers truncate towards zero, and
/// take their least or greatest number for what lies outside, 0 for NaN.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// The number that every element of a splat has, if `attribute` is one.
std::optional<double> getSplat(mlir::Attribute attribute);

/// The same of a value that a `graph.constant` defines.
std::optional<double> getSplat(mlir::Value value);

} // namespace pcc::graph
