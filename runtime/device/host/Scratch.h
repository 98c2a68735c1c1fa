// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the records of one rank share: each has it for itself while it runs, and finds
// nothing in it when it begins. It grows while records are prepared.

#ifndef PCC_RUNTIME_DEVICE_HOST_SCRATCH_H
#define PCC_RUNTIME_DEVICE_HOST_SCRATCH_H

#include "runtime/base/Base.h"

namespace pcc::runtime::host {

class Scratch {
public:
  /// Makes it at least `bytes` long; its address may change. Errors: no memory.
  Status reserve(uint64_t bytes) {
    if (bytes <= size)
      return {};
    memory = nullptr; // before the new one is there, so that both need not fit
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
