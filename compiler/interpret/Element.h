// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors as the interpreter holds them: 64 bits each, a double for every
// floating-point type and a 64-bit integer for every other, with the values that the element type
// can hold.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace pcc::interpret {

/// From F64 on: types of model files, in which the importer computes. No dialect has them.
enum class ElementType { F32, F16, BF16, I64, I32, I8, I1, F64, I16, UI32, UI16, UI8 };

/// One element: `f` in tensors of floating-point type, else `i` (booleans are 0 and 1).
union Element {
  double f;
  int64_t i;
};

bool isFloat(ElementType type);

/// The name in MLIR's syntax: f32, bf16, i1, ….
llvm::StringRef stringify(ElementType type);

/// `value` as `type` holds it: rounded to the nearest, ties to even, beyond the largest to
/// infinity.
double roundTo(ElementType type, double value);

/// `value` as `type` holds it: the lowest bits, sign-extended where the type has a sign; one bit
/// for i1.
int64_t wrapTo(ElementType type, int64_t value);

/// The distance from 1 to the next number of a floating-point type; 0 for integers.
double epsilon(ElementType type);

/// Bytes of an element in a file; a boolean has one.
int64_t byteWidth(ElementType type);

/// The range of an integer type; that of i1 is 0 to 1.
int64_t leastOf(ElementType type);
int64_t greatestOf(ElementType type);

/// The integer next to `value` on the side of zero; NaN is 0, and a value beyond 64 bits the
/// nearest 64-bit integer.
int64_t truncate(double value);

} // namespace pcc::interpret
