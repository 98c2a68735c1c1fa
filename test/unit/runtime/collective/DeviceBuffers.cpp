// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/collective/DeviceBuffers.h"

#include "runtime/abi/ElementTypes.h"

namespace pcc::test {

using namespace runtime;

Expected<std::byte *> OnDevice::upload(Batch &batch, const void *content, int64_t bytes) {
  auto memory = device->allocate(uint64_t(bytes));
  if (!memory)
    return memory.status();
  std::byte *base = (*memory)->base;
  batch.memory.push_back(std::move(*memory));
  if (Status status =
          device->copyIn(base, {static_cast<const std::byte *>(content), size_t(bytes)});
      !status.ok())
    return status;
  return base;
}

Expected<Request> OnDevice::start(std::span<const CollectiveCall> calls) {
  device->enterThread();
  Batch batch;
  for (CollectiveCall call : calls) {
    auto *host = static_cast<std::byte *>(call.destination);
    int64_t written = destinationBytes(call, size());
    if (call.source) {
      int64_t bytes = call.count() * int64_t(abi::elementBytes(call.type));
      Expected<std::byte *> base = upload(batch, call.source, bytes);
      if (!base)
        return base.status();
      call.destination = call.source == host ? *base : nullptr;
      call.source = *base;
    }
    if (host) {
      if (!call.source || !call.destination) {
        Expected<std::byte *> base = upload(batch, host, written);
        if (!base)
          return base.status();
        call.destination = *base;
      }
      batch.written.push_back(
          {{host, size_t(written)}, static_cast<const std::byte *>(call.destination)});
    }
    batch.calls.push_back(std::move(call));
  }
  if (!group->isEnqueued())
    if (Status status = device->synchronize(); !status.ok())
      return status;
  Expected<Request> request = group->start(batch.calls);
  if (request) // the positions of the calls do not change
    batches[request->number] = std::move(batch);
  return request;
}

Status OnDevice::wait(Request request, TransferInterval &interval) {
  Status status = group->wait(request, interval);
  auto batch = batches.extract(request.number);
  for (const Written &written : batch.mapped().written)
    if (status.ok())
      status = device->copyOut(written.host, written.device);
  // Other members may still read the sent data.
  if (status.ok())
    status = device->synchronize();
  return status;
}

Expected<std::unique_ptr<Communicator>> OnDevice::split(int color, int key) {
  device->enterThread();
  auto part = group->split(color, key);
  if (!part)
    return part.status();
  return std::unique_ptr<Communicator>(std::make_unique<OnDevice>(std::move(*part), device));
}

} // namespace pcc::test
