// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creating an event uses the context of the calling thread, which must have entered the GPU. The
// driver measures times as milliseconds in a float.

#include "runtime/device/cuda/driver/Event.h"

namespace pcc::runtime::cuda {

Expected<Event> Event::make(std::shared_ptr<const Gpu> gpu) {
  return make(std::move(gpu), untimedEvent);
}

Expected<Event> Event::makeTimed(std::shared_ptr<const Gpu> gpu) {
  return make(std::move(gpu), timedEvent);
}

Expected<Event> Event::make(std::shared_ptr<const Gpu> gpu, unsigned flags) {
  const Driver &driver = gpu->driver;
  EventHandle handle = nullptr;
  if (Status status = driver.check(driver.eventCreate(&handle, flags), "cuEventCreate");
      !status.ok())
    return status;
  return Event(std::move(gpu), handle);
}

Status Event::record(StreamHandle stream) {
  return gpu->driver.check(gpu->driver.eventRecord(handle, stream), "cuEventRecord");
}

Status Event::synchronize() const {
  return gpu->driver.check(gpu->driver.eventSynchronize(handle), "cuEventSynchronize");
}

Expected<std::optional<int64_t>> Event::nanosecondsSince(const Event &earlier) const {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  float milliseconds = 0;
  Result result = gpu->driver.eventElapsedTime(&milliseconds, earlier.handle, handle);
  if (result == Result::NotReady)
    return std::optional<int64_t>();
  if (Status status = gpu->driver.check(result, "cuEventElapsedTime"); !status.ok())
    return status;
  return std::optional(int64_t(double(milliseconds) * 1e6));
}

} // namespace pcc::runtime::cuda
