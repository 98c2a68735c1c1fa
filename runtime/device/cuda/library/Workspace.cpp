// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/library/Workspace.h"

#include <bit>

namespace pcc::runtime::cuda {

Expected<std::byte *> Workspace::get(uint64_t bytes) {
  if (bytes > size) {
    // Sizes are powers of two, so all blocks together are less than twice the longest one.
    uint64_t rounded = std::bit_ceil(bytes);
    auto made = allocateOn(gpu, rounded);
    if (!made)
      made = allocateOn(gpu, rounded = bytes);
    if (!made)
      return made.status();
    blocks.push_back(std::move(*made));
    size = rounded;
    taken += rounded;
  }
  return blocks.empty() ? nullptr : blocks.back()->base;
}

} // namespace pcc::runtime::cuda
