// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are known while a model is imported: shapes, axes, indices, masks. Arithmetic on them
// is done here (Evaluate.h), so that sub-graphs that compute shapes vanish.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace pcc::import {

/// An element: `f` in tensors of floating-point type, else `i` (booleans are 0 and 1).
union Scalar {
  int64_t i;
  double f;
};

/// A tensor known at import. `values` has one entry for each element in row-major order, or a
/// single one that all elements equal.
struct Constant {
  mlir::Type elementType; ///< a float, `i1`, or an integer whose values `int64_t` holds
  llvm::SmallVector<int64_t> shape;
  std::vector<Scalar> values;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(elementType); }
  bool isSplat() const { return values.size() == 1; }
  int64_t size() const { return mlir::ShapedType::getNumElements(shape); }
  Scalar operator[](int64_t index) const { return values[isSplat() ? 0 : index]; }

  /// The elements as integers; nothing for a tensor of floats.
  std::optional<llvm::SmallVector<int64_t>> asIntegers() const;

  static Constant splat(mlir::Type elementType, llvm::ArrayRef<int64_t> shape, Scalar value);
  static Constant integers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values);
};

/// `value` as `elementType` holds it: floats rounded, integers wrapped to its width.
Scalar roundTo(mlir::Type elementType, Scalar value);

/// `value` of type `from` converted to type `to`, as graph.cast does.
Scalar convert(Scalar value, mlir::Type from, mlir::Type to);

/// Reads row-major little-endian bytes; `bytes` has exactly the size of `type`.
Constant decodeConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// The attribute of a graph.constant: a splat, a short literal, or a resource named `name`.
/// The element type is one that the graph dialect knows.
mlir::ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name);

} // namespace pcc::import
