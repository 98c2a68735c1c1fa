// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are known while a model is imported: shapes, axes, indices, masks. The importer folds
// arithmetic on them (Evaluate.h), so that subgraphs that compute shapes vanish.
#pragma once

#include "compiler/values/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>
#include <optional>

namespace pcc::import {

using values::Element;

/// A tensor known at import. A splat of any shape stores one element.
struct Constant {
  mlir::RankedTensorType type; ///< with an element type of ONNX files (TensorData.h)
  values::Tensor elements;     ///< all elements of the holder of `type`, or one for a splat

  bool isFloat() const { return elements.isFloat(); }
  bool isSplat() const { return elements.size() == 1; }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t size() const { return type.getNumElements(); }
  Element operator[](int64_t index) const { return elements[isSplat() ? 0 : index]; }

  /// Returns the elements as integers; nothing for a tensor of floats.
  std::optional<llvm::SmallVector<int64_t>> asIntegers() const;

  /// Returns the only element as a double; nothing for a tensor of several elements.
  std::optional<double> asNumber() const;

  /// Makes a constant of `elements` in the shape of `type`, rounded to the element type.
  static Constant of(mlir::RankedTensorType type, const values::Tensor &elements);
  /// Makes a splat of `element`, a tensor of one element.
  static Constant splat(mlir::RankedTensorType type, const values::Tensor &element);
  /// Makes a scalar of `value`, cast to `elementType`.
  static Constant scalar(mlir::Type elementType, double value);
  static Constant scalar(mlir::Type elementType, int64_t value);
  /// Makes a list of i64.
  static Constant integers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values);
};

/// Decodes row-major little-endian bytes; `bytes` must have exactly the size of the holder of
/// `type` (NarrowTypes.h).
Constant decodeConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// Returns the attribute of a graph.constant: a splat, a short literal, or a resource named `name`.
/// The graph dialect must support the element type.
mlir::ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name);

} // namespace pcc::import
