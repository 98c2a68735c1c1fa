// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One record on the host device, with given buffers.
#pragma once

#include "runtime/device/Device.h"
#include "test/unit/runtime/Programs.h"

#include <random>
#include <utility>
#include <vector>

namespace pcc::test {

/// `count` numbers in [-1, 1).
std::vector<float> randomFloats(std::mt19937 &random, int64_t count);

/// Prepares one record for rank 0 of a program whose buffers are filled by `values`, runs it, and
/// returns buffer `out`.
std::vector<float> runRecord(ProgramBuilder &builder, const abi::Record &record,
                             const std::vector<std::pair<uint32_t, std::vector<float>>> &values,
                             uint32_t out, int threads, const runtime::SlotValues &slot);

} // namespace pcc::test
