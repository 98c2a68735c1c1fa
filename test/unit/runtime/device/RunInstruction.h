// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one instruction on a device, with given buffers.
#pragma once

#include "runtime/device/Device.h"
#include "test/unit/runtime/Programs.h"

#include <random>
#include <utility>
#include <vector>

namespace pcc::test {

/// Returns `count` numbers in [-1, 1).
std::vector<float> randomFloats(std::mt19937 &random, int64_t count);

/// Contents of buffers, by buffer index.
using BufferValues = std::vector<std::pair<uint32_t, std::vector<float>>>;

/// Prepares one instruction for rank 0 of a program whose buffers are filled by `values`, runs it,
/// and returns buffer `out`. The device is a new host device or the given one.
std::vector<float> runInstruction(ProgramBuilder &builder, const abi::Instruction &instruction,
                                  const BufferValues &values, uint32_t out, int threads,
                                  const runtime::ActionValues &action);
std::vector<float> runRecordOn(runtime::Device &device, ProgramBuilder &builder,
                               const abi::Instruction &instruction, const BufferValues &values,
                               uint32_t out, const runtime::ActionValues &action);

} // namespace pcc::test
