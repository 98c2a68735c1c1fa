// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the emulated GPU, on the host's heap. What was never written has a pattern of which
// every float is a NaN.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <map>
#include <memory>

namespace pcc::test {

class GpuMemory {
public:
  static constexpr size_t total = size_t(4) << 30;

  /// Null if there is not so much left.
  runtime::cuda::DevicePointer allocate(size_t bytes);
  /// False for what was not given.
  bool free(runtime::cuda::DevicePointer address);
  size_t left() const { return total - taken; }

  /// Whether these bytes lie in one allocation.
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
