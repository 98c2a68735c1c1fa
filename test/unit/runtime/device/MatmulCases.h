// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls with random operands, and their expected results.
#pragma once

#include "test/unit/runtime/device/RunInstruction.h"

namespace pcc::test {

struct ProductCase {
  abi::Matmul matmul;
  /// Initial content of the buffers; `sum` is the sum of an operand.
  std::vector<float> a, b, c, bias, preActivation, sum;

  /// Returns the expected c in doubles; `add`: added to the initial content.
  std::vector<double> expected(bool add) const;
  /// Returns the same before the activation.
  std::vector<double> beforeActivation(bool add) const;
  /// Returns the expected sum of an operand.
  std::vector<double> expectedSum() const;
};

/// Makes a matmul. Bits of `variant`: transposed a, transposed b, one b for all, ReLU,
/// ADD_AFTER_FIRST, bias.
constexpr int productVariants = 64;
ProductCase makeProduct(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                        int variant);

/// Bits of `variant`: transposed a, transposed b, one b for all, bias.
constexpr int geluVariants = 16;
/// A matmul with gelu, with gelu and its operand kept, or with the gradient of gelu, which has no
/// bias.
enum class Gelu { Plain, Keeps, Gradient };
ProductCase makeGelu(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                     int variant, Gelu gelu);
/// Makes a matmul with the sum of an operand. Bits of `variant`: transposed a, transposed b, the
/// sum is of b.
constexpr int sumVariants = 8;
ProductCase makeSum(std::mt19937 &random, int64_t batch, int64_t m, int64_t n, int64_t k,
                    int variant);

/// A program with the matmul's operands, and its instruction.
struct ProductProgram {
  explicit ProductProgram(const ProductCase &test);

  ProgramBuilder builder{1};
  abi::Instruction instruction;
  BufferValues values;
  uint32_t result = 0, preActivation = 0, sum = 0;
};

} // namespace pcc::test
