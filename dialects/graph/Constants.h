// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes, reads and cuts the values of constants. Folds and decompositions make and read splats, in
// which all elements are equal. Folds, matchers and BatchDependence read single elements.
// BatchDependence cuts the constants that hold the batch when the batch is split into parts.
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

/// Returns whether integers of `type` hold all indices below `size`.
bool holdsIndices(mlir::Type type, int64_t size);

/// Requirement on the parts of a constant that is cut: equal bit by bit, or any.
enum class Parts { Equal, Any };

/// Returns the first of `count` parts of `value`, cut along dimension `dim`; null if `parts`
/// requires equal ones and they differ. The dimension is `outer` blocks, each of which is cut into
/// `count` parts. `outer` times `count` must divide it.
mlir::ElementsAttr cutFirstPart(mlir::ElementsAttr value, unsigned dim, int64_t count,
                                int64_t outer = 1, Parts parts = Parts::Equal);

/// Returns the elements of a literal or a resource as numbers; nothing for other attributes.
std::optional<llvm::SmallVector<double>> readElements(mlir::Attribute attribute);

} // namespace pcc::graph
