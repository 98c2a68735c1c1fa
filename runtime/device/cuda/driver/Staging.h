// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from the host's memory to a GPU's. The GPU fetches bytes when its stream comes to it, and
// only from memory that is never paged out, so the host leaves a copy in a ring of such memory and
// goes on; a place of the ring is taken again when what lay there has been fetched.

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_STAGING_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_STAGING_H

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

  /// Takes the ring's memory now. Later the driver may wait for all that the GPU does before it
  /// gives some.
  Status reserve();

  /// Enqueues a copy; `source` may change when it returns.
  Status copy(DevicePointer destination, std::span<const std::byte> source);

private:
  static constexpr uint64_t ringBytes = 8 << 20;

  /// What the GPU has yet to fetch, up to a number of bytes that went through the ring.
  struct Flight {
    Event fetched;
    uint64_t end;
  };
  Status makeRoom(uint64_t bytes);
  Status copyPiece(DevicePointer destination, std::span<const std::byte> source);
  Expected<Event> takeEvent();

  std::shared_ptr<const Gpu> gpu;
  StreamHandle stream;
  std::optional<PinnedMemory> ring;
  /// Bytes that went in, and those that are known to have been fetched; places are modulo
  /// ringBytes.
  uint64_t filled = 0, fetched = 0;
  std::deque<Flight> flights;
  std::vector<Event> idleEvents;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_STAGING_H
