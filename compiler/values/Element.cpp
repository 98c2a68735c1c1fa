// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 are rounded in doubles: scale by a power of two, round to an integer, scale back.
// Assumes the default rounding mode, to the nearest and ties to even.
#include "compiler/values/Tensor.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace pcc::values {
namespace {

/// A binary floating-point format: significant bits, the exponent of its least normal number, and
/// its largest number.
struct Format {
  int precision;
  int minExponent;
  double largest;
};

constexpr Format half = {11, -14, 65504.0};
constexpr Format brain = {8, -126, 0x1.fep127};

double roundTo(Format format, double value) {
  if (!std::isfinite(value) || value == 0.0)
    return value;
  // value = m * 2^exponent with 1 <= |m| < 2; below minExponent the numbers are equally spaced.
  int exponent = std::max(std::ilogb(value), format.minExponent);
  int lastBit = exponent - (format.precision - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -lastBit)), lastBit);
  if (std::fabs(rounded) > format.largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

} // namespace

bool isFloat(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16 ||
         type == ElementType::F64;
}

bool isUnsigned(ElementType type) {
  return type == ElementType::UI64 || type == ElementType::UI32 || type == ElementType::UI16 ||
         type == ElementType::UI8;
}

llvm::StringRef stringify(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return "f32";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::I64:
    return "i64";
  case ElementType::I32:
    return "i32";
  case ElementType::I8:
    return "i8";
  case ElementType::I1:
    return "i1";
  case ElementType::F64:
    return "f64";
  case ElementType::I16:
    return "i16";
  case ElementType::UI64:
    return "ui64";
  case ElementType::UI32:
    return "ui32";
  case ElementType::UI16:
    return "ui16";
  case ElementType::UI8:
    return "ui8";
  }
  llvm_unreachable("every element type is listed");
}

double roundTo(ElementType type, double value) {
  switch (type) {
  case ElementType::F32:
    return static_cast<double>(static_cast<float>(value));
  case ElementType::F16:
    return roundTo(half, value);
  case ElementType::BF16:
    return roundTo(brain, value);
  default:
    return value;
  }
}

int64_t wrapTo(ElementType type, int64_t value) {
  switch (type) {
  case ElementType::I32:
    return llvm::SignExtend64<32>(static_cast<uint64_t>(value));
  case ElementType::I16:
    return llvm::SignExtend64<16>(static_cast<uint64_t>(value));
  case ElementType::I8:
    return llvm::SignExtend64<8>(static_cast<uint64_t>(value));
  case ElementType::UI32:
    return static_cast<uint32_t>(value);
  case ElementType::UI16:
    return static_cast<uint16_t>(value);
  case ElementType::UI8:
    return static_cast<uint8_t>(value);
  case ElementType::I1:
    return value & 1;
  default:
    return value;
  }
}

double epsilon(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return 0x1p-23;
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F64:
    return 0x1p-52;
  default:
    return 0.0;
  }
}

int64_t byteWidth(ElementType type) {
  switch (type) {
  case ElementType::I64:
  case ElementType::UI64:
  case ElementType::F64:
    return 8;
  case ElementType::F32:
  case ElementType::I32:
  case ElementType::UI32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I16:
  case ElementType::UI16:
    return 2;
  case ElementType::I8:
  case ElementType::UI8:
  case ElementType::I1:
    return 1;
  }
  llvm_unreachable("every element type is listed");
}

int64_t minOf(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::UI8:
  case ElementType::UI16:
  case ElementType::UI32:
  case ElementType::UI64:
    return 0;
  default:
    return -maxOf(type) - 1;
  }
}

int64_t maxOf(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return 1;
  case ElementType::I8:
    return std::numeric_limits<int8_t>::max();
  case ElementType::UI8:
    return std::numeric_limits<uint8_t>::max();
  case ElementType::I16:
    return std::numeric_limits<int16_t>::max();
  case ElementType::UI16:
    return std::numeric_limits<uint16_t>::max();
  case ElementType::UI32:
    return std::numeric_limits<uint32_t>::max();
  case ElementType::UI64:
    return -1;
  case ElementType::I32:
    return std::numeric_limits<int32_t>::max();
  default:
    return std::numeric_limits<int64_t>::max();
  }
}

int64_t truncate(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63)
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t truncate(ElementType type, double value) {
  if (type != ElementType::UI64 || !(value >= 0x1p63))
    return truncate(value);
  return value >= 0x1p64 ? maxOf(type) : static_cast<int64_t>(static_cast<uint64_t>(value));
}

double toDouble(ElementType type, int64_t value) {
  return type == ElementType::UI64 ? static_cast<double>(static_cast<uint64_t>(value))
                                   : static_cast<double>(value);
}

} // namespace pcc::values
