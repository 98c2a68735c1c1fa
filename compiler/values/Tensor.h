// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's value: a dense row-major tensor. The class has value semantics: copies are
// cheap (copies share elements until one is written), and comparison is by content.
#pragma once

#include "compiler/values/Element.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>
#include <vector>

namespace pcc::values {

/// Rounding of the floating-point results of an op.
enum class Precision {
  Element,    ///< rounded to their element type, as on a device
  Double,     ///< doubles, for sharp finite differences and algebraic comparisons
  MovedPlus,  ///< doubles, moved as far as roundings may move them (MoveByRounding.h)
  MovedMinus, ///< doubles, moved the opposite way
};

class Tensor {
public:
  /// Constructs a tensor without value: a result before its op has run.
  Tensor() = default;

  /// Constructs a tensor of zeros.
  Tensor(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// Returns a tensor of `values` in row-major order, rounded to `type`. `shape` has as many
  /// elements.
  static Tensor floats(ElementType type, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values);
  static Tensor integers(ElementType type, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> values);

  bool hasValue() const { return storage != nullptr; }
  ElementType getType() const { return type; }
  bool isFloat() const { return values::isFloat(type); }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getDim(int64_t dim) const { return shape[dim]; }
  int64_t size() const { return storage ? static_cast<int64_t>(storage->size()) : 0; }

  llvm::ArrayRef<Element> elements() const { return *storage; }
  Element operator[](int64_t flat) const { return (*storage)[flat]; }

  /// Returns an element as a double, whatever its type.
  double asDouble(int64_t flat) const;

  /// Returns the elements for writing; copies of this tensor keep the old elements.
  llvm::MutableArrayRef<Element> mutableElements();

  /// Returns the same elements under another shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> newShape) const;

  /// Rounds every element to its type. Floats are unchanged unless the precision is
  /// `Precision::Element`.
  Tensor rounded(Precision precision) const;

  /// Returns whether types, shapes and elements are equal; NaN equals NaN.
  bool identical(const Tensor &other) const;

  /// Returns the type as text, such as `2x3xf32`.
  std::string typeString() const;

private:
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<std::vector<Element>> storage;
};

/// Returns the number of elements of `shape`.
int64_t sizeOf(llvm::ArrayRef<int64_t> shape);

} // namespace pcc::values
