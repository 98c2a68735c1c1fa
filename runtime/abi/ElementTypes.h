// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the element types of program.proto, and overflow-checked element counts.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pcc::abi {

/// Bytes of one element; 0 for an invalid type.
uint64_t elementBytes(ElementType type);

/// The MLIR name of a type: "f32", "i1", …
std::string_view elementName(ElementType type);

/// Whether the type is a floating-point type.
bool isFloat(ElementType type);

/// Whether the type is an integer or boolean type.
bool isInteger(ElementType type);

/// The type in which floats of `type` are accumulated over actions: F64 for F64, else F32.
ElementType accumulatorType(ElementType type);

/// The number of elements of a shape; absent if an extent is negative or the product exceeds 2^62.
template <typename Shape> std::optional<int64_t> elementCount(const Shape &shape) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (count > limit / extent)
      return std::nullopt;
    else
      count *= extent;
  }
  return empty ? 0 : count;
}

} // namespace pcc::abi
