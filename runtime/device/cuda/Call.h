// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a function on a stream. Its arguments are addresses followed by 64-bit numbers, all
// by value.

#pragma once

#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

class Call {
public:
  Call(FunctionHandle function, int64_t blocks, uint32_t threads, std::vector<std::byte *> buffers,
       std::span<const int64_t> scalars);

  /// Enqueues the launch with the current scalars. Does nothing for zero blocks.
  Result enqueue(const Driver &driver, StreamHandle stream);
  /// Does the same for an instruction, which errors then name.
  Status run(const abi::Instruction &instruction, Stream &stream);

  /// The scalar arguments, which may change between runs.
  std::vector<int64_t> scalars;

private:
  FunctionHandle function;
  int64_t blocks;
  uint32_t threads;
  std::vector<std::byte *> buffers;
  std::vector<void *> parameters;
};

/// Returns an instruction that makes the calls in order, the same in every action.
std::unique_ptr<PreparedInstruction> prepareCalls(const abi::Instruction &instruction,
                                                  std::vector<Call> calls, Stream &stream);

/// Returns an error if `blocks` is more than a grid may have.
Status checkGrid(int64_t blocks);

} // namespace pcc::runtime::cuda
