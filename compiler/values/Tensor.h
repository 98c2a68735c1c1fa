// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's value: a dense row-major tensor. The class has value semantics: copies are
// cheap (copies share elements until one is written), and comparison is by content.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pcc::values {

//===-- Element.cpp ---------------------------------------------------------------------------===//

// Elements of tensors in the interpreter. Each has 64 bits: a double for every floating-point type,
// and a 64-bit integer for every other type. An element is rounded to its type, except floats in
// runs that compute in doubles (Precision). Values of ui64 beyond 2^63 - 1 are the
// negative integers with the same bits.

/// Element types.
enum class ElementType { F32, F16, BF16, F64, I64, I32, I16, I8, UI64, UI32, UI16, UI8, I1 };

/// One element: `f` in tensors of floating-point type, else `i` (booleans are 0 and 1).
union Element {
  double f;
  int64_t i;
};

bool isFloat(ElementType type);

/// Returns whether the type is an integer type without a sign. Booleans are not.
bool isUnsigned(ElementType type);

/// Returns the name in MLIR's syntax: f32, bf16, i1, ….
llvm::StringRef stringify(ElementType type);

/// Rounds `value` to `type`: to the nearest number, ties to even; beyond the largest number to
/// infinity.
double roundTo(ElementType type, double value);

/// Wraps `value` to `type`: the lowest bits, sign-extended if the type has a sign; one bit for i1.
int64_t wrapTo(ElementType type, int64_t value);

/// Returns the distance from 1 to the next number of a floating-point type; 0 for integers.
double epsilon(ElementType type);

/// Returns the bytes of an element in a file; a boolean has one byte.
int64_t byteWidth(ElementType type);

/// Return the range of an integer type; the range of i1 is 0 to 1, the greatest ui64 is -1.
int64_t minOf(ElementType type);
int64_t maxOf(ElementType type);

/// Rounds `value` towards zero. NaN gives 0; a value beyond 64 bits gives the nearest 64-bit
/// integer.
int64_t truncate(double value);

/// Does the same for elements of `type`; for ui64, values from 2^63 on have a result of their own.
int64_t truncate(ElementType type, double value);

/// Converts an integer element of `type` to a double, rounding once.
double toDouble(ElementType type, int64_t value);

//===-- Tensor.cpp ----------------------------------------------------------------------------===//

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
