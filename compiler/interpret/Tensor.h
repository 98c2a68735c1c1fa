// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's value: a dense row-major tensor. A class of values: copies are cheap (elements
// are shared until one copy is written) and compared by content.
#pragma once

#include "compiler/interpret/Element.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace pcc::interpret {

/// How floating-point results leave an op.
enum class Precision {
  Element,    ///< rounded to their element type, as on a device
  Double,     ///< as doubles: finite differences and algebraic comparisons are sharp
  MovedThere, ///< as doubles, moved as roundings may move them (Roundings.h)
  MovedBack,  ///< as doubles, moved the other way
};

class Tensor {
public:
  /// No value: what a result is before its op has run.
  Tensor() = default;

  /// All elements zero.
  Tensor(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// `values` in row-major order, as many as `shape` has; they are rounded to `type`.
  static Tensor floats(ElementType type, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values);
  static Tensor integers(ElementType type, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> values);

  bool hasValue() const { return storage != nullptr; }
  ElementType getType() const { return type; }
  bool isFloat() const { return interpret::isFloat(type); }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getDim(int64_t dim) const { return shape[dim]; }
  int64_t size() const { return storage ? static_cast<int64_t>(storage->size()) : 0; }

  llvm::ArrayRef<Element> elements() const { return *storage; }
  Element operator[](int64_t flat) const { return (*storage)[flat]; }

  /// The element as a double, whatever its type.
  double asDouble(int64_t flat) const;

  /// The elements to write; copies of this tensor keep the old ones.
  llvm::MutableArrayRef<Element> mutableElements();

  /// The same elements under another shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> newShape) const;

  /// Every element as its type holds it. Floats stay as they are unless the precision is
  /// `Precision::Element`.
  Tensor rounded(Precision precision) const;

  /// Equal types, shapes and elements; NaN equals NaN.
  bool identical(const Tensor &other) const;

  /// `2x3xf32`.
  std::string typeString() const;

private:
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<std::vector<Element>> storage;
};

/// The number of elements of `shape`.
int64_t sizeOf(llvm::ArrayRef<int64_t> shape);

} // namespace pcc::interpret
