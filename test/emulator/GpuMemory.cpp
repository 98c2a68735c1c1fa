// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/GpuMemory.h"

#include <cstring>

namespace pcc::test {

using runtime::cuda::DevicePointer;

DevicePointer GpuMemory::allocate(size_t bytes) {
  constexpr size_t alignment = 256; // as in the driver
  constexpr int unwritten = 0xFF;
  if (bytes > left())
    return 0;
  Block block{std::make_unique_for_overwrite<std::byte[]>(bytes + alignment), bytes};
  auto address = DevicePointer(block.bytes.get());
  address = (address + alignment - 1) / alignment * alignment;
  std::memset(reinterpret_cast<void *>(address), unwritten, bytes);
  blocks.emplace(address, std::move(block));
  taken += bytes;
  return address;
}

bool GpuMemory::free(DevicePointer address) {
  auto found = blocks.find(address);
  if (found == blocks.end())
    return false;
  taken -= found->second.size;
  blocks.erase(found);
  return true;
}

bool GpuMemory::holds(DevicePointer address, size_t bytes) const {
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin())
    return false;
  const auto &[begin, block] = *std::prev(behind);
  return address - begin <= block.size && bytes <= block.size - (address - begin);
}

} // namespace pcc::test
