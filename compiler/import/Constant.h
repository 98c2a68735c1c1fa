// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are known while a model is imported: shapes, axes, indices, masks. Arithmetic on them
// is done here (Evaluate.h), so that sub-graphs that compute shapes vanish.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>
#include <optional>

namespace pcc::import {

using interpret::Element;

/// A tensor known at import. A splat of any shape costs one element.
struct Constant {
  mlir::RankedTensorType type; ///< of an element type of ONNX files (TensorData.h)
  interpret::Tensor elements;  ///< as many as `type` has, or a single one that all equal

  bool isFloat() const { return elements.isFloat(); }
  bool isSplat() const { return elements.size() == 1; }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  int64_t size() const { return type.getNumElements(); }
  Element operator[](int64_t index) const { return elements[isSplat() ? 0 : index]; }

  /// The elements as integers; nothing for a tensor of floats.
  std::optional<llvm::SmallVector<int64_t>> asIntegers() const;

  /// The only element, as a double; nothing for a tensor of several.
  std::optional<double> asNumber() const;

  /// `elements` in the shape of `type`, each as the element type holds it.
  static Constant of(mlir::RankedTensorType type, const interpret::Tensor &elements);
  /// All elements as that of `element`, a tensor of one.
  static Constant splat(mlir::RankedTensorType type, const interpret::Tensor &element);
  /// A scalar: `value` as a cast to `elementType` gives it.
  static Constant scalar(mlir::Type elementType, double value);
  static Constant scalar(mlir::Type elementType, int64_t value);
  /// A list of i64.
  static Constant integers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> values);
};

/// Reads row-major little-endian bytes; `bytes` has exactly the size of `type`.
Constant decodeConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// The attribute of a graph.constant: a splat, a short literal, or a resource named `name`.
/// The element type is one that the graph dialect knows.
mlir::ElementsAttr encodeConstant(const Constant &constant, llvm::StringRef name);

} // namespace pcc::import
