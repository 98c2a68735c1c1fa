// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs attention and its gradients with cuDNN if the library is available and has a plan, otherwise
// with
//
//   pcc_attention_T(query, key, value, mask, offset, result, log_sum, 12 sizes, i64 flags)
//   pcc_attention_query_T, pcc_attention_key_T, pcc_attention_value_T
//     (query, key, value, mask, offset, result, log_sum, gradient of the result, written, 12 sizes,
//      i64 flags)
//
// Sizes: batch, heads, groups, positions, key positions, width, depth; the bits of the scale; the
// strides of the mask in elements along sample, head, position and key position. A missing mask or
// offset is passed as null.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/library/CudnnInstructions.h"

#include <bit>

namespace pcc::runtime::cuda {
namespace {

std::vector<int64_t> numbersOf(const abi::Attention &attention) {
  using Flag = abi::AttentionFlag;
  std::vector<int64_t> numbers = {
      attention.batch(),         attention.heads(),
      attention.groups(),        attention.positions(),
      attention.key_positions(), attention.width(),
      attention.depth(),         std::bit_cast<int32_t>(float(attention.scale()))};
  std::vector<int64_t> maskStrides(4, 0);
  int64_t stride = 1;
  for (int dim = attention.mask_shape_size() - 1; dim >= 0; --dim) {
    maskStrides[size_t(dim)] = attention.mask_shape(dim) == 1 ? 0 : stride;
    stride *= attention.mask_shape(dim);
  }
  numbers.insert(numbers.end(), maskStrides.begin(), maskStrides.end());
  numbers.push_back(attention.causal() * Flag::causal + attention.has_mask() * Flag::hasMask +
                    attention.has_offset() * Flag::hasOffset +
                    attention.positions_first() * Flag::positionsFirst);
  return numbers;
}

/// A function's name without its type suffix, the number of elements it writes, and its arguments.
struct Part {
  const char *name;
  int64_t elements;
  std::vector<std::byte *> buffers;
};

std::vector<Part> partsOf(const abi::Attention &attention, const PrepareContext &context) {
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  std::vector<std::byte *> common = {address(attention.query()),
                                     address(attention.key()),
                                     address(attention.value()),
                                     attention.has_mask() ? address(attention.mask()) : nullptr,
                                     attention.has_offset() ? address(attention.offset()) : nullptr,
                                     address(attention.result()),
                                     address(attention.log_sum())};
  int64_t rows = attention.batch() * attention.heads() * attention.positions();
  int64_t keyRows = attention.batch() * attention.groups() * attention.key_positions();
  if (!attention.has_gradients())
    return {{"pcc_attention", rows * attention.depth(), common}};
  const abi::Attention::Gradients &gradients = attention.gradients();
  common.push_back(address(gradients.result()));
  auto with = [&](const abi::Operand &written) {
    std::vector<std::byte *> buffers = common;
    buffers.push_back(address(written));
    return buffers;
  };
  return {{"pcc_attention_query", rows * attention.width(), with(gradients.query())},
          {"pcc_attention_key", keyRows * attention.width(), with(gradients.key())},
          {"pcc_attention_value", keyRows * attention.depth(), with(gradients.value())}};
}

} // namespace

Expected<PreparedPointer> prepareAttention(const abi::Instruction &instruction,
                                           const PrepareContext &context, RankParts parts) {
  if (PreparedPointer byLibrary = parts.cudnn.prepare(instruction, context, parts.stream))
    return byLibrary;
  std::vector<int64_t> numbers = numbersOf(instruction.attention());
  std::vector<Call> calls;
  for (Part &part : partsOf(instruction.attention(), context)) {
    Expected<FunctionHandle> function = parts.code.support(
        fmt::format("{}_{}", part.name, abi::elementName(instruction.attention().type())));
    if (!function)
      return function.status();
    calls.emplace_back(*function, abi::numElementBlocks(part.elements), abi::supportThreads,
                       std::move(part.buffers), numbers);
  }
  return prepareCalls(instruction, std::move(calls), parts.stream);
}

} // namespace pcc::runtime::cuda
