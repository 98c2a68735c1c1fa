// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Feistel network permutes the numbers of as many bits as the row numbers have. A result that is
// no row is permuted again until it is one (cycle walking), less than twice on average. Both are
// from Black, Rogaway: Ciphers with arbitrary finite domains, CT-RSA 2002. Four rounds with random
// functions suffice in theory for large numbers (Luby, Rackoff: How to construct pseudorandom
// permutations from pseudorandom functions, 1988). Eight rounds mix small ones as well.

#include "runtime/data/batches/BatchReader.h"

#include "runtime/abi/Random.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pcc::runtime {

RowOrder::RowOrder(int64_t rows, uint64_t seed, int64_t epoch) : rows(uint64_t(rows)) {
  bits = std::max(2, int(std::bit_width(uint64_t(std::max<int64_t>(rows, 1) - 1))));
  lowBits = bits / 2;
  uint64_t stream = abi::streamOf("row order") + uint64_t(epoch);
  for (size_t round = 0; round < keys.size(); ++round)
    keys[round] = abi::randomBits(seed, stream, round);
}

/// Each round replaces (high, low) by (low, high ^ f(low)), so the halves exchange their widths.
uint64_t RowOrder::permute(uint64_t number) const {
  int low = lowBits, high = bits - lowBits;
  for (uint64_t key : keys) {
    uint64_t lower = number & ((uint64_t(1) << low) - 1), upper = number >> low;
    // The upper bits of the mixer's result are its best.
    uint64_t mixed = upper ^ (abi::mixBits(key + lower * 0x9e3779b97f4a7c15u) >> (64 - high));
    number = lower << high | mixed;
    std::swap(low, high);
  }
  return number;
}

int64_t RowOrder::rowAt(int64_t position) const {
  if (rows == 0)
    return position;
  uint64_t number = uint64_t(position);
  do
    number = permute(number);
  while (number >= rows);
  return int64_t(number);
}

} // namespace pcc::runtime
