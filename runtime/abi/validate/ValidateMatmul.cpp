// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of matmuls: sizes, valid combinations of options, operands within their buffers. Sizes and
// combinations follow the rules of dialects/task/VerifyMatmul.cpp, which verifies ops; change both
// together.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/validate/Checker.h"

namespace pcc::abi {
namespace {

/// An operand that is present, and its size.
struct Range {
  const char *name;
  const Operand &operand;
  uint64_t bytes, alignment;
  bool written;
};

std::vector<Range> rangesOf(const Matmul &matmul) {
  uint64_t bytes = elementBytes(matmul.type()), resultBytes = elementBytes(matmul.result_type());
  auto sized = [](std::initializer_list<int64_t> sizes, uint64_t element) {
    std::optional<int64_t> count = elementCount(sizes);
    return isSize(count) ? *count * element : ~uint64_t(0);
  };
  int64_t batch = matmul.batch(), m = matmul.m(), n = matmul.n(), k = matmul.k();
  uint64_t c = sized({batch, m, n}, resultBytes);
  std::vector<Range> ranges = {
      {"a", matmul.a(), sized({batch, m, k}, bytes), bytes, false},
      {"b", matmul.b(), sized({matmul.shared_b() ? 1 : batch, k, n}, bytes), bytes, false},
      {"c", matmul.c(), c, resultBytes, true}};
  auto addIf = [&](bool isThere, const char *name, const Operand &operand, uint64_t size,
                   bool written) {
    if (isThere)
      ranges.push_back({name, operand, size, resultBytes, written});
  };
  addIf(matmul.has_bias(), "bias", matmul.bias(), n * resultBytes, false);
  addIf(matmul.has_pre_activation(), "pre_activation", matmul.pre_activation(), c,
        matmul.activation() == GELU);
  addIf(matmul.has_sum_of_a(), "sum_of_a", matmul.sum_of_a(), m * resultBytes, true);
  addIf(matmul.has_sum_of_b(), "sum_of_b", matmul.sum_of_b(), n * resultBytes, true);
  return ranges;
}

/// Checks that the saved pre-activation and the sums of operands appear only in valid combinations.
void checkExtras(Checker &checker, const Matmul &matmul) {
  bool isGelu = matmul.activation() == GELU, isGradient = matmul.activation() == GELU_GRADIENT;
  bool hasSum = matmul.has_sum_of_a() || matmul.has_sum_of_b();
  bool overwrites = matmul.accumulation() == OVERWRITE;
  checker.expect(!isGradient || (matmul.has_pre_activation() && !matmul.has_bias()),
                 "expected a gradient of gelu to have what was pre_activation and no bias");
  checker.expect(
      !matmul.has_pre_activation() || ((isGelu || isGradient) && overwrites),
      "pre_activation: expected it beside gelu or its gradient, in a matmul that overwrites");
  bool isPlain = matmul.activation() == ACTIVATION_NONE && !matmul.has_bias();
  bool isOne = matmul.has_sum_of_a() != matmul.has_sum_of_b();
  checker.expect(!hasSum || (isOne && isPlain && !matmul.shared_b()),
                 "expected one sum of an operand, of a matmul without bias, activation and "
                 "shared operand");
}

} // namespace

void checkMatmul(const OperandChecks &operands, const Matmul &matmul) {
  Checker &checker = operands.checker;
  Checker::Scope scope(checker, "matmul");
  auto inRange = [](int64_t extent) { return extent >= 1 && extent < (int64_t(1) << 31); };
  if (!checker.expect(inRange(matmul.batch()) && inRange(matmul.m()) && inRange(matmul.n()) &&
                          inRange(matmul.k()),
                      "expected extents from 1 on, got batch {}, m {}, n {}, k {}", matmul.batch(),
                      matmul.m(), matmul.n(), matmul.k()))
    return;
  auto isMultiplied = [](ElementType type) { return type == F32 || type == F16 || type == BF16; };
  checker.expect(isMultiplied(matmul.type()) && isMultiplied(matmul.result_type()),
                 "expected types of f32, f16 and bf16, got {} and {}", elementName(matmul.type()),
                 elementName(matmul.result_type()));
  checker.expect(Accumulation_IsValid(matmul.accumulation()) &&
                     Activation_IsValid(matmul.activation()),
                 "accumulation, activation: unknown value");
  checkExtras(checker, matmul);
  if (!checker.ok())
    return;
  std::vector<Range> ranges = rangesOf(matmul);
  for (const Range &range : ranges)
    operands.room(range.name, range.operand, range.bytes, range.alignment, range.written);
  for (const Range &written : ranges)
    for (const Range &other : ranges)
      if (written.written && &other != &written && checker.ok())
        operands.overlap(other.operand, other.bytes, written.operand, written.bytes, false);
}

} // namespace pcc::abi
