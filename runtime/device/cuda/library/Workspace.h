// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a GPU that the records of a rank work in, one after the other. What was given stays
// where it is, since prepared records know its address.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_WORKSPACE_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_WORKSPACE_H

#include "runtime/device/cuda/driver/Gpu.h"

#include <vector>

namespace pcc::runtime::cuda {

class Workspace {
public:
  explicit Workspace(std::shared_ptr<const Gpu> gpu) : gpu(std::move(gpu)) {}

  /// At least `bytes` bytes, which others use as well. Error: no memory.
  Expected<std::byte *> get(uint64_t bytes);

  /// Of all blocks that were taken.
  uint64_t takenBytes() const { return taken; }

private:
  const std::shared_ptr<const Gpu> gpu;
  /// The last one is the longest.
  std::vector<std::unique_ptr<Allocation>> blocks;
  uint64_t size = 0, taken = 0;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_WORKSPACE_H
