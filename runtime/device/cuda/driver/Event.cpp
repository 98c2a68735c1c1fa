// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/driver/Event.h"

namespace pcc::runtime::cuda {

Expected<Event> Event::make(std::shared_ptr<const Gpu> gpu) {
  const Driver &driver = gpu->driver;
  EventHandle handle = nullptr;
  if (Status status = driver.check(driver.eventCreate(&handle, untimedEvent), "cuEventCreate");
      !status.ok())
    return status;
  return Event(std::move(gpu), handle);
}

Status Event::record(StreamHandle stream) {
  return gpu->driver.check(gpu->driver.eventRecord(handle, stream), "cuEventRecord");
}

Status Event::synchronise() const {
  return gpu->driver.check(gpu->driver.eventSynchronize(handle), "cuEventSynchronize");
}

} // namespace pcc::runtime::cuda
