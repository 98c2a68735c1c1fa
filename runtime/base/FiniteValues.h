// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds infinities and NaNs in dense arrays of F32, F64, F16 or BF16. Numbers of other types count
// as finite.

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

bool areFinite(abi::ElementType type, std::span<const std::byte> bytes);

/// Returns the first number of the worst kind.
FoundNumber findWorst(abi::ElementType type, std::span<const std::byte> bytes);

} // namespace pcc::runtime
