// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a function on a stream. Its arguments are addresses, then numbers of 64 bits, all by
// value.

#ifndef PCC_RUNTIME_DEVICE_CUDA_CALL_H
#define PCC_RUNTIME_DEVICE_CUDA_CALL_H

#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

class Call {
public:
  Call(FunctionHandle function, int64_t blocks, uint32_t threads, std::vector<std::byte *> buffers,
       std::span<const int64_t> scalars);

  /// Enqueues it with the numbers as they are now; nothing for no blocks.
  Result enqueue(const Driver &driver, StreamHandle stream);
  /// The same, for a record.
  Status run(const abi::Record &record, Stream &stream);

  /// The numbers, which may change between runs.
  std::vector<int64_t> scalars;

private:
  FunctionHandle function;
  int64_t blocks;
  uint32_t threads;
  std::vector<std::byte *> buffers;
  std::vector<void *> parameters;
};

/// The record that does the calls one after the other, the same in every slot.
std::unique_ptr<PreparedRecord> prepareCalls(const abi::Record &record, std::vector<Call> calls,
                                             Stream &stream);

/// Error: more blocks than a grid may have.
Status checkGrid(int64_t blocks);

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_CALL_H
