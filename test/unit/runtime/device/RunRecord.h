// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instruction on a device, with given buffers.
#pragma once

#include "runtime/device/Device.h"
#include "test/unit/runtime/Programs.h"

#include <random>
#include <utility>
#include <vector>

namespace pcc::test {

/// `count` numbers in [-1, 1).
std::vector<float> randomFloats(std::mt19937 &random, int64_t count);

/// The content of some buffers.
using BufferValues = std::vector<std::pair<uint32_t, std::vector<float>>>;

/// Prepares one instruction for rank 0 of a program whose buffers are filled by `values`, runs it,
/// and returns buffer `out`; on the host device, or on a given one.
std::vector<float> runInstruction(ProgramBuilder &builder, const abi::Instruction &instruction,
                                  const BufferValues &values, uint32_t out, int threads,
                                  const runtime::ActionValues &action);
std::vector<float> runRecordOn(runtime::Device &device, ProgramBuilder &builder,
                               const abi::Instruction &instruction, const BufferValues &values,
                               uint32_t out, const runtime::ActionValues &action);

} // namespace pcc::test
