// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with random operands, and what they should give.
#pragma once

#include "test/unit/runtime/RunRecord.h"

namespace pcc::test {

struct ProductCase {
  abi::Matmul matmul;
  std::vector<float> a, b, c, bias;

  /// What c should be, in doubles; `add`: to what it was.
  std::vector<double> expected(bool add) const;
};

/// Bits of `variant`: transposed a, transposed b, one b for all, ReLU, ADD_AFTER_FIRST, bias.
constexpr int productVariants = 64;
ProductCase makeProduct(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                        int variant);

/// A program with the product's operands, and its record.
struct ProductProgram {
  explicit ProductProgram(const ProductCase &test);

  ProgramBuilder builder{1};
  abi::Record record;
  BufferValues values;
  uint32_t result = 0;
};

} // namespace pcc::test
