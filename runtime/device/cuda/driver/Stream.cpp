// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the enqueued instructions into runs that end at marked positions. An error names the
// instructions of all runs that are not yet confirmed. Waiting for a position confirms the runs
// before it, and synchronize() confirms all.

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
  driver().streamSynchronize(handle); // the GPU reads the staging ring until then
  staging.reset();
  driver().streamDestroy(handle);
}

Status Stream::waitFor(const Event &event) {
  return withInstructions(
      driver().check(driver().streamWaitEvent(handle, event.get(), 0), "cuStreamWaitEvent"));
}

/// Returns all instructions not yet known to be complete.
Stream::Run Stream::unconfirmed() const {
  Run all;
  for (const Run &run : runs) {
    if (run.count == 0)
      continue;
    all.first = all.first ? all.first : run.first;
    all.last = run.last;
    all.count += run.count;
  }
  return all;
}

Status Stream::enqueued(const abi::Instruction &firstOfThem, const abi::Instruction &lastOfThem,
                        int64_t instructions, Status status) {
  if (!status.ok()) {
    // Errors of work on the GPU appear at any later call.
    Run before = unconfirmed();
    return before.count == 0
               ? status
               : std::move(status).within(fmt::format("this, or one of {} instructions since '{}'",
                                                      before.count, before.first->op()));
  }
  Run &run = runs.back();
  if (run.count == 0)
    run.first = &firstOfThem;
  run.count += instructions;
  run.last = &lastOfThem;
  return {};
}

Status Stream::copyIn(DevicePointer destination, std::span<const std::byte> source) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  return withInstructions(staging->copy(destination, source));
}

Status Stream::copyOut(std::span<std::byte> destination, DevicePointer source) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  if (!destination.empty())
    if (Status status = driver().check(
            driver().memcpyDeviceToHost(destination.data(), source, destination.size(), handle),
            "cuMemcpyDtoHAsync");
        !status.ok())
      return withInstructions(status);
  return synchronize();
}

Status Stream::fill(DevicePointer destination, uint64_t bytes) {
  if (Status status = gpu->enter(); !status.ok() || bytes == 0)
    return status;
  return withInstructions(
      driver().check(driver().memsetBytes(destination, 0, bytes, handle), "cuMemsetD8Async"));
}

Status Stream::synchronize() {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  Status status =
      withInstructions(driver().check(driver().streamSynchronize(handle), "cuStreamSynchronize"));
  reachedPositions += runs.size() - 1;
  runs.assign(1, Run());
  return status;
}

Expected<uint64_t> Stream::mark(Event &event) {
  if (Status status = record(event); !status.ok())
    return withInstructions(std::move(status));
  runs.emplace_back();
  return reachedPositions + runs.size() - 2;
}

Status Stream::synchronize(const Event &event, uint64_t position) {
  if (Status status = withInstructions(event.synchronize()); !status.ok())
    return status;
  for (; reachedPositions <= position; ++reachedPositions)
    runs.pop_front();
  return {};
}

Status Stream::withInstructions(Status status) const {
  Run run = unconfirmed();
  if (status.ok() || run.count == 0)
    return status;
  if (run.count == 1)
    return std::move(status)
        .within(fmt::format("'{}'", run.last->op()))
        .at({.op = run.last->op(), .location = run.last->location()});
  return std::move(status).within(fmt::format("one of {} instructions from '{}' to '{}'", run.count,
                                              run.first->op(), run.last->op()));
}

} // namespace pcc::runtime::cuda
