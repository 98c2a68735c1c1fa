// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between f32 and the two 16-bit floating-point types, without branches, so that loops
// over them vectorize. Rounding is to nearest, ties to even.

#pragma once

#include <bit>
#include <cstdint>

namespace pcc::runtime {

/// The bits of an IEEE half.
struct Float16 {
  uint16_t bits = 0;
};

/// The upper half of the bits of an f32.
struct BFloat16 {
  uint16_t bits = 0;
};

inline float toFloat(BFloat16 value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }

inline BFloat16 toBFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  return {uint16_t(isNan ? (bits >> 16) | 0x40 : rounded)};
}

inline float toFloat(Float16 value) {
  uint32_t magnitude = uint32_t(value.bits & 0x7fff) << 13;
  // The exponent bias differs by 112; the multiplication handles subnormal numbers too.
  uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  bool isSpecial = (value.bits & 0x7c00) == 0x7c00;
  uint32_t bits = isSpecial ? (magnitude | 0x7f800000) : finite;
  return std::bit_cast<float>(bits | uint32_t(value.bits & 0x8000) << 16);
}

inline Float16 toFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  // Normal result: shift the exponent by 112 and round off the lowest 13 bits.
  uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal result: adding 0.5 aligns the mantissa so that the addition rounds correctly.
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  uint32_t half = magnitude >= 0x477ff000 ? special : (magnitude < 0x38800000 ? subnormal : normal);
  return {uint16_t(sign | half)};
}

} // namespace pcc::runtime
