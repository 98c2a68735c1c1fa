// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in a stream that the host, or other streams, can wait for.

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENT_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENT_H

#include "runtime/device/cuda/driver/Gpu.h"

#include <optional>

namespace pcc::runtime::cuda {

class Event {
public:
  static Expected<Event> make(std::shared_ptr<const Gpu> gpu);
  /// One that also tells when the stream came there.
  static Expected<Event> makeTimed(std::shared_ptr<const Gpu> gpu);
  Event(Event &&other) noexcept
      : gpu(std::move(other.gpu)), handle(std::exchange(other.handle, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(gpu, other.gpu);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Event() {
    if (handle && gpu->enter().ok())
      gpu->driver.eventDestroy(handle);
  }

  EventHandle get() const { return handle; }

  /// From now on it is behind what `stream` has so far. Streams that were told to wait for it wait
  /// for the place that it had then.
  Status record(StreamHandle stream);

  /// Returns when the stream has come there; at once if it was never recorded.
  Status synchronise() const;

  /// How much later it was than another; both were made by makeTimed, and recorded. Nothing: one of
  /// the streams has not come there yet.
  Expected<std::optional<int64_t>> nanosecondsSince(const Event &earlier) const;

private:
  static Expected<Event> make(std::shared_ptr<const Gpu> gpu, unsigned flags);
  Event(std::shared_ptr<const Gpu> gpu, EventHandle handle) : gpu(std::move(gpu)), handle(handle) {}

  std::shared_ptr<const Gpu> gpu;
  EventHandle handle;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENT_H
