// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers with which the Raise passes recognize patterns: numbers behind broadcasts, products in
// any order, values with one number per row, and the location of all ops of a pattern.
//
//   0.5 * x * (1 + erf(x / √2))     flattenProduct(_, x) = {factors x, 1 + erf(..); scale 0.5}
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::graph {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Returns the number that `value` is everywhere: a splat, perhaps repeated, reshaped or cast.
std::optional<double> findSplat(mlir::Value value);

/// Returns whether `value` is `number` everywhere, as a file may round it in the value's element
/// type.
bool isSplat(mlir::Value value, double number);
bool isNear(double value, double number, mlir::Type element);

/// A product of values and a number.
struct Product {
  llvm::SmallVector<mlir::Value> factors;
  double scale = 1.0;
};

/// Splits `value` into factors if it is a product, a quotient by a number, a square or a small
/// power. `whole` is a factor that stays as it is.
Product flattenProduct(mlir::Value value, mlir::Value whole);

/// Returns `value` without the numbers by which it is multiplied or divided, and their product.
std::pair<mlir::Value, double> splitScale(mlir::Value value);

/// Tries the operands of a commutative op in both orders, until `matches(a, b)` holds.
bool matchEither(mlir::Operation *op, llvm::function_ref<bool(mlir::Value, mlir::Value)> matches);

/// Returns the value of `rows` elements, in order, that `value` repeats along its last dimensions.
/// Returns `value` itself if it has no more elements, and null if it repeats otherwise.
mlir::Value findRows(mlir::Value value, int64_t rows);

/// Returns the values from which `value` is computed by arithmetic on its own shape, itself
/// included.
llvm::SmallVector<mlir::Value> findSources(mlir::Value value);

/// Returns the fused location of all ops from `result` back to `inputs`, in program order, for the
/// op that replaces them.
mlir::Location fuseLocations(mlir::Value result, mlir::ValueRange inputs);

/// Returns the elements of a constant as numbers; nothing for other values.
std::optional<llvm::SmallVector<double>> readConstant(mlir::Value value);

} // namespace pcc::graph
