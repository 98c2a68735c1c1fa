// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/NcclReduction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace pcc::test {

using runtime::nccl::Operator;
using runtime::nccl::Type;

namespace {

/// A binary format of 16 bits: a sign, an exponent, and a fraction of `fraction` bits.
struct HalfFormat {
  int fraction, bias;

  double read(uint16_t bits) const {
    int exponent = (bits & 0x7fff) >> fraction, largest = 0x7fff >> fraction;
    double part = (bits & ((1 << fraction) - 1)) / std::ldexp(1.0, fraction);
    double size = exponent == largest ? (part == 0 ? HUGE_VAL : std::nan(""))
                  : exponent == 0     ? std::ldexp(part, 1 - bias)
                                      : std::ldexp(1 + part, exponent - bias);
    return bits & 0x8000 ? -size : size;
  }

  /// Rounds to nearest, ties to even.
  uint16_t write(double value) const {
    const int largest = 0x7fff >> fraction;
    const auto sign = uint16_t(std::signbit(value) ? 0x8000 : 0);
    double size = std::fabs(value);
    if (std::isnan(value))
      return uint16_t(sign | largest << fraction | 1 << (fraction - 1));
    if (std::isinf(value))
      return uint16_t(sign | largest << fraction);
    int exponent = size == 0 ? 1 - bias : std::max(std::ilogb(size), 1 - bias);
    // Units in the last place; a carry moves on into the exponent.
    double units = std::nearbyint(std::ldexp(size, fraction - exponent));
    double bits = units + std::ldexp(exponent + bias - 1, fraction);
    return uint16_t(sign | uint16_t(std::fmin(bits, largest << fraction)));
  }
};
constexpr HalfFormat float16{.fraction = 10, .bias = 15}, bfloat16{.fraction = 7, .bias = 127};

template <typename W> W combine(Operator reduction, W a, W b) {
  switch (reduction) {
  case Operator::Prod:
    return W(a * b);
  case Operator::Max:
    return a != a || b != b ? a + b : std::max(a, b);
  case Operator::Min:
    return a != a || b != b ? a + b : std::min(a, b);
  default:
    return W(a + b);
  }
}

/// Reduces in the order of ranks, which the suite of all communicators demands. `read` and `write`
/// convert elements of type T to W and back.
template <typename T, typename W, typename Read, typename Write>
std::vector<std::byte> reduceBy(Operator reduction, const std::vector<const std::byte *> &sources,
                                int64_t count, Read read, Write write) {
  std::vector<std::byte> result(size_t(count) * sizeof(T));
  for (int64_t n = 0; n < count; ++n) {
    auto at = [&](size_t rank) {
      T element;
      std::memcpy(&element, sources[rank] + n * int64_t(sizeof(T)), sizeof(T));
      return W(read(element));
    };
    W value = at(0);
    for (size_t rank = 1; rank < sources.size(); ++rank)
      value = combine<W>(reduction, value, at(rank));
    T element = T(write(value));
    std::memcpy(result.data() + n * int64_t(sizeof(T)), &element, sizeof(T));
  }
  return result;
}

/// Reduces elements of type T in the type W. Integers are reduced in 64 bits without a sign where
/// they may wrap around, and with their own sign by max and min.
template <typename T, typename W>
std::vector<std::byte> reduceIn(Operator reduction, const std::vector<const std::byte *> &sources,
                                int64_t count) {
  auto same = [](auto value) { return value; };
  bool wraps = reduction != Operator::Max && reduction != Operator::Min;
  if (std::is_integral_v<T> && wraps)
    return reduceBy<T, uint64_t>(reduction, sources, count, same, same);
  return reduceBy<T, W>(reduction, sources, count, same, same);
}

} // namespace

std::vector<std::byte> reduceAsNccl(Operator reduction, Type type,
                                    const std::vector<const std::byte *> &sources, int64_t count) {
  auto halves = [&](const HalfFormat &format) {
    return reduceBy<uint16_t, float>(
        reduction, sources, count, [&](uint16_t bits) { return format.read(bits); },
        [&](float value) { return format.write(value); });
  };
  switch (type) {
  case Type::Float16:
    return halves(float16);
  case Type::BFloat16:
    return halves(bfloat16);
  case Type::Float32:
    return reduceIn<float, float>(reduction, sources, count);
  case Type::Float64:
    return reduceIn<double, double>(reduction, sources, count);
  case Type::Int32:
    return reduceIn<int32_t, int32_t>(reduction, sources, count);
  case Type::Int64:
    return reduceIn<int64_t, int64_t>(reduction, sources, count);
  case Type::Uint32:
    return reduceIn<uint32_t, uint32_t>(reduction, sources, count);
  case Type::Uint64:
    return reduceIn<uint64_t, uint64_t>(reduction, sources, count);
  case Type::Uint8:
    return reduceIn<uint8_t, uint8_t>(reduction, sources, count);
  default:
    return reduceIn<int8_t, int8_t>(reduction, sources, count);
  }
}

} // namespace pcc::test
