// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the emulated GPU, on the host's heap. New memory is filled with a pattern in which
// every float is a NaN.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <map>
#include <memory>

namespace pcc::test {

class GpuMemory {
public:
  static constexpr size_t total = size_t(4) << 30;

  /// Returns null if not enough memory is left.
  runtime::cuda::DevicePointer allocate(size_t bytes);
  /// Returns false for an address that was not allocated.
  bool free(runtime::cuda::DevicePointer address);
  size_t left() const { return total - taken; }

  /// Returns true if these bytes lie in one allocation.
  bool holds(runtime::cuda::DevicePointer address, size_t bytes) const;

private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size;
  };
  std::map<runtime::cuda::DevicePointer, Block> blocks;
  size_t taken = 0;
};

} // namespace pcc::test
