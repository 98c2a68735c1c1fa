// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention instructions and their expected results, computed in doubles with all scores in memory.
#pragma once

#include "test/unit/runtime/device/RunInstruction.h"

#include <functional>
#include <optional>

namespace pcc::test {

/// Sizes and form of an attention.
struct AttentionForm {
  int64_t batch, heads, groups, positions, keyPositions, width, depth;
  bool causal = false;
  std::vector<int64_t> mask = {};
  std::optional<int64_t> offset = {};
  bool positionsFirst = false; ///< layout in memory; tensors here have the heads first

  int64_t rows() const { return batch * heads * positions; }
  int64_t keys() const { return batch * groups * keyPositions; }
};

/// Returns forms with one tile and several, groups, causal masks, positions without visible keys,
/// masks, and one element.
std::span<const AttentionForm> attentionForms();

/// Operands and results.
struct AttentionTensors {
  std::vector<float> query, key, value, mask, given;        ///< read
  std::vector<double> result, logSum, dQuery, dKey, dValue; ///< expected
};

/// Makes operands of `type` and their expected results. Every fifth number of a mask is -∞.
AttentionTensors makeAttention(std::mt19937 &random, const AttentionForm &form,
                               abi::ElementType type);

/// An output of an attention instruction, by its place in the message.
enum class AttentionOut { Result, LogSum, Query, Key, Value };

/// Runs an instruction with these buffers and returns the buffer `out`.
using RecordRunner =
    std::function<std::vector<float>(ProgramBuilder &builder, const abi::Instruction &instruction,
                                     const BufferValues &values, uint32_t out)>;

/// Returns an output of the instruction in f32.
std::vector<float> runAttention(const AttentionForm &form, const AttentionTensors &tensors,
                                AttentionOut out, abi::ElementType type,
                                const RecordRunner &runner);

/// Fails the test if one of the five outputs is not near its expected value, with the heads first
/// and with the positions first. The tolerance is a few roundings of f32. In half types `roundings`
/// roundings lie between an output and the operands.
void checkAttention(const AttentionForm &form, const AttentionTensors &tensors,
                    abi::ElementType type, int roundings, const RecordRunner &runner);

} // namespace pcc::test
