// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU memory in which the instructions of a rank work, one after the other. Its blocks never move,
// since prepared instructions store their addresses.

#pragma once

#include "runtime/device/cuda/driver/Gpu.h"

#include <vector>

namespace pcc::runtime::cuda {

class Workspace {
public:
  explicit Workspace(std::shared_ptr<const Gpu> gpu) : gpu(std::move(gpu)) {}

  /// Returns at least `bytes` bytes, shared with other callers. Error: no memory.
  Expected<std::byte *> get(uint64_t bytes);

  /// Returns the bytes of all allocated blocks.
  uint64_t takenBytes() const { return taken; }

private:
  const std::shared_ptr<const Gpu> gpu;
  /// The last block is the longest.
  std::vector<std::unique_ptr<Allocation>> blocks;
  uint64_t size = 0, taken = 0;
};

} // namespace pcc::runtime::cuda
