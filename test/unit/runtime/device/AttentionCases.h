// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention instructions with what they are to give, worked out with all scores in memory, in
// doubles.
#pragma once

#include "test/unit/runtime/device/RunRecord.h"

#include <functional>
#include <optional>

namespace pcc::test {

/// Sizes and form of an attention.
struct AttentionForm {
  int64_t batch, heads, groups, positions, keyPositions, width, depth;
  bool causal = false;
  std::vector<int64_t> mask = {};
  std::optional<int64_t> offset = {};
  bool positionsFirst = false; ///< in memory; tensors here have the heads first

  int64_t rows() const { return batch * heads * positions; }
  int64_t keys() const { return batch * groups * keyPositions; }
};

/// One tile and several, groups, causal ones, positions that see nothing, masks, one element.
std::span<const AttentionForm> attentionForms();

/// Operands and results.
struct AttentionTensors {
  std::vector<float> query, key, value, mask, given;        ///< read
  std::vector<double> result, logSum, dQuery, dKey, dValue; ///< expected
};

/// Operands of `type`, and what they give; of a mask every fifth number is -∞.
AttentionTensors makeAttention(std::mt19937 &random, const AttentionForm &form,
                               abi::ElementType type);

/// What an instruction writes, by its place in the message.
enum class AttentionOut { Result, LogSum, Query, Key, Value };

/// Runs an instruction with these buffers, and gives one of them back.
using RecordRunner =
    std::function<std::vector<float>(ProgramBuilder &builder, const abi::Instruction &instruction,
                                     const BufferValues &values, uint32_t out)>;

/// What the instruction writes, in f32.
std::vector<float> runAttention(const AttentionForm &form, const AttentionTensors &tensors,
                                AttentionOut out, abi::ElementType type,
                                const RecordRunner &runner);

/// Fails the test where one of the five things that instructions write is not near what it is to
/// be, with the heads first and with the positions first: within some roundings of f32, and of half
/// types `roundings` between it and the operands.
void checkAttention(const AttentionForm &form, const AttentionTensors &tensors,
                    abi::ElementType type, int roundings, const RecordRunner &runner);

} // namespace pcc::test
