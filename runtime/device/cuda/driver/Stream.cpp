// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

Expected<std::unique_ptr<Stream>> Stream::make(std::shared_ptr<const Gpu> gpu) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  StreamHandle handle = nullptr;
  if (Status status =
          gpu->driver.check(gpu->driver.streamCreate(&handle, nonBlockingStream), "cuStreamCreate");
      !status.ok())
    return status;
  auto stream = std::make_unique<Stream>(std::move(gpu), handle);
  if (Status status = stream->staging->reserve(); !status.ok())
    return status;
  return stream;
}

Stream::~Stream() {
  if (!gpu->enter().ok())
    return;
  driver().streamSynchronize(handle); // the ring is read until then
  staging.reset();
  driver().streamDestroy(handle);
}

Status Stream::waitFor(const Event &event) {
  return driver().check(driver().streamWaitEvent(handle, event.get(), 0), "cuStreamWaitEvent");
}

Status Stream::enqueued(const abi::Record &firstOfThem, const abi::Record &lastOfThem,
                        int64_t records, Status status) {
  if (!status.ok())
    // Errors of what runs on the GPU show at any later call.
    return count == 0 ? status
                      : std::move(status).within(fmt::format(
                            "this, or one of {} records since '{}'", count, first->op()));
  if (count == 0)
    first = &firstOfThem;
  count += records;
  last = &lastOfThem;
  return {};
}

Status Stream::copyIn(DevicePointer destination, std::span<const std::byte> source) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  return tellRecords(staging->copy(destination, source));
}

Status Stream::copyOut(std::span<std::byte> destination, DevicePointer source) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  if (!destination.empty())
    if (Status status = driver().check(
            driver().memcpyDeviceToHost(destination.data(), source, destination.size(), handle),
            "cuMemcpyDtoHAsync");
        !status.ok())
      return tellRecords(status);
  return synchronise();
}

Status Stream::fill(DevicePointer destination, uint64_t bytes) {
  if (Status status = gpu->enter(); !status.ok() || bytes == 0)
    return status;
  return driver().check(driver().memsetBytes(destination, 0, bytes, handle), "cuMemsetD8Async");
}

Status Stream::synchronise() {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  Status status =
      tellRecords(driver().check(driver().streamSynchronize(handle), "cuStreamSynchronize"));
  count = 0;
  return status;
}

Status Stream::tellRecords(Status status) {
  if (status.ok() || count == 0)
    return status;
  if (count == 1)
    return std::move(status)
        .within(fmt::format("'{}'", last->op()))
        .at({.op = last->op(), .location = last->location()});
  return std::move(status).within(
      fmt::format("one of {} records from '{}' to '{}'", count, first->op(), last->op()));
}

} // namespace pcc::runtime::cuda
