// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infinities and NaNs have all bits of the exponent set, and only infinities have no bit of the
// fraction set.

#include "runtime/base/FiniteValues.h"

#include <algorithm>
#include <cstdint>

namespace pcc::runtime {
namespace {

template <typename Bits> std::span<const Bits> numbersOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const Bits *>(bytes.data()), bytes.size() / sizeof(Bits)};
}

template <typename Bits> constexpr Bits signBit = Bits(Bits(1) << (8 * sizeof(Bits) - 1));

/// Calls `use` with the array as unsigned integers and the bits of the exponent. Returns `other`
/// for other types.
template <typename Result, typename Use>
Result withBits(abi::ElementType type, std::span<const std::byte> bytes, Result other, Use use) {
  switch (type) {
  case abi::F32:
    return use(numbersOf<uint32_t>(bytes), uint32_t(0x7f800000));
  case abi::F64:
    return use(numbersOf<uint64_t>(bytes), uint64_t(0x7ff0000000000000));
  case abi::F16:
    return use(numbersOf<uint16_t>(bytes), uint16_t(0x7c00));
  case abi::BF16:
    return use(numbersOf<uint16_t>(bytes), uint16_t(0x7f80));
  default:
    return other;
  }
}

template <typename Bits> NumberKind kindOf(Bits number, Bits exponent) {
  if ((number & exponent) != exponent)
    return NumberKind::Finite;
  if (Bits(number & ~signBit<Bits>) != exponent)
    return NumberKind::NaN;
  return number & signBit<Bits> ? NumberKind::NegativeInfinity : NumberKind::Infinity;
}

} // namespace

bool areFinite(abi::ElementType type, std::span<const std::byte> bytes) {
  return withBits(type, bytes, true, [](auto numbers, auto exponent) {
    using Bits = decltype(exponent);
    // An exponent of ones, and no other, carries into the sign bit. Blocks without an exit inside
    // are vectorized.
    constexpr size_t block = 1024;
    Bits one = exponent & Bits(~exponent + 1);
    for (size_t begin = 0; begin < numbers.size(); begin += block) {
      Bits sums = 0;
      for (Bits number : numbers.subspan(begin, std::min(block, numbers.size() - begin)))
        sums |= Bits((number & exponent) + one);
      if (sums & signBit<Bits>)
        return false;
    }
    return true;
  });
}

FoundNumber findWorst(abi::ElementType type, std::span<const std::byte> bytes) {
  return withBits(type, bytes, FoundNumber(), [](auto numbers, auto exponent) {
    FoundNumber worst;
    for (size_t index = 0; index < numbers.size() && worst.kind != NumberKind::NaN; ++index)
      if (NumberKind kind = kindOf(numbers[index], exponent); kind > worst.kind)
        worst = {int64_t(index), kind};
    return worst;
  });
}

} // namespace pcc::runtime
