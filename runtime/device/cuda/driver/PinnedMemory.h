// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page-locked host memory, which a GPU reads and writes directly.

#pragma once

#include "runtime/device/cuda/driver/Gpu.h"

#include <span>

namespace pcc::runtime::cuda {

class PinnedMemory {
public:
  static Expected<PinnedMemory> make(std::shared_ptr<const Gpu> gpu, uint64_t bytes);
  PinnedMemory(PinnedMemory &&other) noexcept
      : gpu(std::move(other.gpu)), memory(std::exchange(other.memory, {})) {}
  ~PinnedMemory() {
    if (memory.data() && gpu->enter().ok())
      gpu->driver.memFreeHost(memory.data());
  }

  std::byte *data() const { return memory.data(); }
  std::span<std::byte> bytes() const { return memory; }

private:
  PinnedMemory(std::shared_ptr<const Gpu> gpu, std::span<std::byte> memory)
      : gpu(std::move(gpu)), memory(memory) {}

  std::shared_ptr<const Gpu> gpu;
  std::span<std::byte> memory;
};

} // namespace pcc::runtime::cuda
