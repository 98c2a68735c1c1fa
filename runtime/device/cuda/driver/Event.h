// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A point in a stream for which the host, or other streams, can wait.

#pragma once

#include "runtime/device/cuda/driver/Gpu.h"

#include <optional>

namespace pcc::runtime::cuda {

class Event {
public:
  static Expected<Event> make(std::shared_ptr<const Gpu> gpu);
  /// Creates an event that also records when the stream reached it.
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

  /// Moves the event after everything enqueued on `stream` so far. Streams already told to wait for
  /// it wait for its earlier position.
  Status record(StreamHandle stream);

  /// Waits until the stream has reached the event. Returns at once if the event was never recorded.
  Status synchronize() const;

  /// Returns the time since `earlier`. makeTimed must have created both events, and both must be
  /// recorded. Returns nothing if one of the streams has not reached its event yet.
  Expected<std::optional<int64_t>> nanosecondsSince(const Event &earlier) const;

private:
  static Expected<Event> make(std::shared_ptr<const Gpu> gpu, unsigned flags);
  Event(std::shared_ptr<const Gpu> gpu, EventHandle handle) : gpu(std::move(gpu)), handle(handle) {}

  std::shared_ptr<const Gpu> gpu;
  EventHandle handle;
};

} // namespace pcc::runtime::cuda
