// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with random operands, and what they should give.
#pragma once

#include "test/unit/runtime/device/RunRecord.h"

namespace pcc::test {

struct ProductCase {
  abi::Matmul matmul;
  /// What lies there before; `sum` is of one operand.
  std::vector<float> a, b, c, bias, kept, sum;

  /// What c should be, in doubles; `add`: to what it was.
  std::vector<double> expected(bool add) const;
  /// The same before the activation.
  std::vector<double> beforeActivation(bool add) const;
  /// The sum of an operand.
  std::vector<double> expectedSum() const;
};

/// Bits of `variant`: transposed a, transposed b, one b for all, ReLU, ADD_AFTER_FIRST, bias.
constexpr int productVariants = 64;
ProductCase makeProduct(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                        int variant);

/// Bits of `variant`: transposed a, transposed b, one b for all, bias.
constexpr int geluVariants = 16;
/// With gelu, which keeps its operand or not, or its gradient, which has no bias.
enum class Gelu { Plain, Keeps, Gradient };
ProductCase makeGelu(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int variant, Gelu gelu);
/// With the sum of an operand. Bits of `variant`: transposed a, transposed b, the sum is of b.
constexpr int sumVariants = 8;
ProductCase makeSum(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                    int variant);

/// A program with the product's operands, and its instruction.
struct ProductProgram {
  explicit ProductProgram(const ProductCase &test);

  ProgramBuilder builder{1};
  abi::Instruction instruction;
  BufferValues values;
  uint32_t result = 0, kept = 0, sum = 0;
};

} // namespace pcc::test
