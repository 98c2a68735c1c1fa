// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors in the interpreter. Each has 64 bits: a double for every floating-point type,
// and a 64-bit integer for every other type. An element is rounded to its type, except floats in
// runs that compute in doubles (Precision in Tensor.h). Values of ui64 beyond 2^63 - 1 are the
// negative integers with the same bits.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace pcc::values {

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

} // namespace pcc::values
