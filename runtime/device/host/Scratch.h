// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory shared by the instructions of one rank. Each instruction has exclusive use while it runs,
// and finds undefined content at its start. The memory grows while instructions are prepared.

#ifndef PCC_RUNTIME_DEVICE_HOST_SCRATCH_H
#define PCC_RUNTIME_DEVICE_HOST_SCRATCH_H

#include "runtime/base/Base.h"

namespace pcc::runtime::host {

class Scratch {
public:
  /// Grows the memory to at least `bytes` bytes; its address may change. Errors: no memory.
  Status reserve(uint64_t bytes) {
    if (bytes <= size)
      return {};
    memory = nullptr; // free first, so that the old and new memory need not fit together
    memory = allocateAligned(bytes);
    size = memory ? bytes : 0;
    return memory ? Status() : Status::failed(fmt::format("no memory for {} bytes", bytes));
  }
  std::byte *get() const { return memory.get(); }

private:
  AlignedBytes memory;
  uint64_t size = 0;
};

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_SCRATCH_H
