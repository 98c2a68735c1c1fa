// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from host memory to GPU memory. The GPU fetches the bytes only when its stream reaches the
// copy, and only from page-locked memory. So the host leaves a copy in a ring buffer of such memory
// and continues. Space in the ring is reused after its content has been fetched.

#pragma once

#include "runtime/device/cuda/driver/Event.h"
#include "runtime/device/cuda/driver/PinnedMemory.h"

#include <deque>
#include <optional>
#include <span>

namespace pcc::runtime::cuda {

class Staging {
public:
  Staging(std::shared_ptr<const Gpu> gpu, StreamHandle stream)
      : gpu(std::move(gpu)), stream(stream) {}

  /// Allocates the ring buffer. A later allocation could make the driver wait for everything that
  /// the GPU does.
  Status reserve();

  /// Enqueues a copy; `source` may change on return.
  Status copy(DevicePointer destination, std::span<const std::byte> source);

private:
  static constexpr uint64_t ringBytes = 8 << 20;

  /// A transfer that the GPU has yet to fetch. `end` counts all bytes written to the ring up to its
  /// end.
  struct PendingTransfer {
    Event fetched;
    uint64_t end;
  };
  Status makeRoom(uint64_t bytes);
  Status copyPiece(DevicePointer destination, std::span<const std::byte> source);
  Expected<Event> takeEvent();

  std::shared_ptr<const Gpu> gpu;
  StreamHandle stream;
  std::optional<PinnedMemory> ring;
  /// Bytes written to the ring, and bytes known to have been fetched; positions are modulo
  /// ringBytes.
  uint64_t filled = 0, fetched = 0;
  std::deque<PendingTransfer> pendingTransfers;
  std::vector<Event> idleEvents;
};

} // namespace pcc::runtime::cuda
