// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the rows in an epoch. It is a function of the position, without a table: an epoch of
// any length needs no memory and no time before its first row, and a training continues at any
// position.

#pragma once

#include <array>
#include <cstdint>

namespace pcc::runtime {

class RowOrder {
public:
  /// The natural order.
  RowOrder() = default;
  /// A random order of `rows` rows, the same for a seed and an epoch on every machine.
  RowOrder(int64_t rows, uint64_t seed, int64_t epoch);

  /// Returns the row at a position, from 0 to rows - 1.
  int64_t rowAt(int64_t position) const;

private:
  static constexpr int rounds = 8;
  uint64_t permute(uint64_t number) const;

  uint64_t rows = 0; ///< 0: the natural order
  /// Bits of the numbers that are permuted: the lower half and all.
  int lowBits = 0, bits = 0;
  std::array<uint64_t, rounds> keys = {};
};

} // namespace pcc::runtime
