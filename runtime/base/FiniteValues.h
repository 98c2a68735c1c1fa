// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds infinities and NaNs in dense arrays of F32, F64, F16 or BF16. Numbers of other types count
// as finite. Used to check parameters before they are saved and during training, and to find the
// instruction that made the first such number.

#pragma once

#include "runtime/abi/program.pb.h"

#include <cstddef>
#include <span>

namespace pcc::runtime {

/// Kinds of numbers, the worst last.
enum class NumberKind { Finite, NegativeInfinity, Infinity, NaN };

/// A number of an array.
struct FoundNumber {
  int64_t index = 0;
  NumberKind kind = NumberKind::Finite;
};

/// Returns whether no number is an infinity or a NaN.
bool areFinite(abi::ElementType type, std::span<const std::byte> bytes);

/// Returns the first number of the worst kind. If all numbers are finite, returns index 0 and kind
/// Finite.
FoundNumber findWorst(abi::ElementType type, std::span<const std::byte> bytes);

} // namespace pcc::runtime
