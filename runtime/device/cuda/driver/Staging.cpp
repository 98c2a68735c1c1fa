// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a transfer into pieces of at most a quarter of the ring. A piece is contiguous: if it does
// not fit before the ring's end, it goes to the start. Positions only grow. If the ring is full,
// the host waits for the oldest piece.

#include "runtime/device/cuda/driver/Staging.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::cuda {

Status Staging::copy(DevicePointer destination, std::span<const std::byte> source) {
  if (Status status = reserve(); !status.ok())
    return status;
  // With several pieces, one can be filled while another is fetched.
  constexpr uint64_t longest = ringBytes / 4;
  for (size_t done = 0; done < source.size(); done += longest)
    if (Status status = copyPiece(destination + done,
                                  source.subspan(done, std::min(longest, source.size() - done)));
        !status.ok())
      return status;
  return {};
}

Status Staging::reserve() {
  if (ring)
    return {};
  Expected<PinnedMemory> memory = PinnedMemory::make(gpu, ringBytes);
  if (memory)
    ring.emplace(std::move(*memory));
  return memory.status();
}

Status Staging::copyPiece(DevicePointer destination, std::span<const std::byte> source) {
  if (Status status = makeRoom(source.size()); !status.ok())
    return status;
  std::byte *place = ring->data() + filled % ringBytes;
  std::memcpy(place, source.data(), source.size());
  filled += source.size();
  const Driver &driver = gpu->driver;
  if (Status status =
          driver.check(driver.memcpyHostToDevice(destination, place, source.size(), stream),
                       "cuMemcpyHtoDAsync");
      !status.ok())
    return status;
  Expected<Event> event = takeEvent();
  if (!event)
    return event.status();
  pendingTransfers.push_back({std::move(*event), filled});
  return pendingTransfers.back().fetched.record(stream);
}

/// Frees contiguous space in the ring for the next `bytes` bytes.
Status Staging::makeRoom(uint64_t bytes) {
  if (uint64_t left = ringBytes - filled % ringBytes; left < bytes)
    filled += left;
  while (filled + bytes > fetched + ringBytes) {
    if (pendingTransfers.empty()) {
      fetched = filled;
      break;
    }
    PendingTransfer &oldest = pendingTransfers.front();
    if (Status status = oldest.fetched.synchronize(); !status.ok())
      return status;
    fetched = oldest.end;
    idleEvents.push_back(std::move(oldest.fetched));
    pendingTransfers.pop_front();
  }
  return {};
}

Expected<Event> Staging::takeEvent() {
  if (idleEvents.empty())
    return Event::make(gpu);
  Event event = std::move(idleEvents.back());
  idleEvents.pop_back();
  return event;
}

} // namespace pcc::runtime::cuda
