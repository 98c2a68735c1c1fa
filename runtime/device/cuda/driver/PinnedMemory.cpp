// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates with cuMemHostAlloc, without flags.

#include "runtime/device/cuda/driver/PinnedMemory.h"

#include <algorithm>

namespace pcc::runtime::cuda {

Expected<PinnedMemory> PinnedMemory::make(std::shared_ptr<const Gpu> gpu, uint64_t bytes) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  void *memory = nullptr;
  // The driver refuses to allocate zero bytes.
  if (Status status = gpu->driver.check(
          gpu->driver.memHostAlloc(&memory, std::max<uint64_t>(1, bytes), 0), "cuMemHostAlloc");
      !status.ok())
    return std::move(status).within(fmt::format("{} bytes of the host that are not paged", bytes));
  return PinnedMemory(std::move(gpu), {static_cast<std::byte *>(memory), bytes});
}

} // namespace pcc::runtime::cuda
