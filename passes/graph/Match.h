// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the Raise passes recognise patterns with: numbers behind broadcasts, products whatever their
// order, values that are one number per row, and the location of all pieces of a pattern.
//
//   0.5 * x * (1 + erf(x / √2))     flattenProduct(_, x) = {factors x, 1 + erf(..); scale 0.5}
#pragma once

#include "dialects/graph/Graph.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::graph {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The number that `value` is everywhere: a splat, perhaps repeated, reshaped or cast.
std::optional<double> findSplat(mlir::Value value);

/// Whether `value` is `number` everywhere, as a file may round it in the value's element type.
bool isSplat(mlir::Value value, double number);
bool isNear(double value, double number, mlir::Type element);

/// A product of values and a number.
struct Product {
  llvm::SmallVector<mlir::Value> factors;
  double scale = 1.0;
};

/// Takes `value` apart where it is a product, a quotient by a number, a square or a small power;
/// `whole` is a factor that stays as it is.
Product flattenProduct(mlir::Value value, mlir::Value whole);

/// `value` without the numbers by which it is multiplied or divided, and their product.
std::pair<mlir::Value, double> splitScale(mlir::Value value);

/// The operands of a commutative op in both orders, until `matches(a, b)` holds.
bool matchEither(mlir::Operation *op, llvm::function_ref<bool(mlir::Value, mlir::Value)> matches);

/// The value of `rows` elements, in order, that `value` repeats along its last dimensions; `value`
/// itself if it has no more. Null if it repeats otherwise.
mlir::Value findRows(mlir::Value value, int64_t rows);

/// The values from which `value` is computed by arithmetic on its own shape, itself included.
llvm::SmallVector<mlir::Value> findSources(mlir::Value value);

/// All ops from `result` back to `inputs`, in program order: the location of what replaces them.
mlir::Location fusePieces(mlir::Value result, mlir::ValueRange inputs);

/// The elements of a constant as numbers; nothing for other values.
std::optional<llvm::SmallVector<double>> readConstant(mlir::Value value);

} // namespace pcc::graph
