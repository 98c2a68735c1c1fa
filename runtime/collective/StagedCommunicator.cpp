// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces each buffer of a call by a host image: bytes from a pool of idle images. A call in place
// gets one image for both buffers. A block exchange without reduction also copies the old
// destination to the host, since the whole image is copied back.

#include "runtime/collective/StagedCommunicator.h"

#include "runtime/abi/ElementTypes.h"

namespace pcc::runtime {

Expected<Request> StagedCommunicator::start(std::span<const CollectiveCall> calls) {
  Request own{started++};
  Batch &batch = batches[own.number];
  for (const CollectiveCall &call : calls)
    if (Status status = stage(call, batch); !status.ok())
      return status;
  Expected<Request> request = transport->start(batch.calls);
  if (!request)
    return request.status();
  batch.request = *request;
  return own;
}

/// Adds the call with its buffers replaced by host images.
Status StagedCommunicator::stage(const CollectiveCall &call, Batch &batch) {
  CollectiveCall own = call;
  if (call.source) {
    uint64_t bytes = uint64_t(call.count()) * abi::elementBytes(call.type);
    Expected<std::byte *> source = addImage(batch, bytes, call.source);
    if (!source)
      return source.status();
    own.source = *source;
  }
  if (call.destination && call.destination == call.source) {
    own.destination = batch.images.back().data();
  } else if (call.destination) {
    // A block exchange leaves the rest of its destination unchanged.
    bool keepsRest = call.kind == abi::BLOCK_EXCHANGE && !call.reduceBoxes;
    Expected<std::byte *> destination = addImage(batch, uint64_t(destinationBytes(call, size())),
                                                 keepsRest ? call.destination : nullptr);
    if (!destination)
      return destination.status();
    own.destination = *destination;
  }
  if (call.destination)
    batch.destinations.push_back(
        {static_cast<std::byte *>(call.destination), batch.images.size() - 1});
  batch.calls.push_back(std::move(own));
  return {};
}

/// Adds a host image to the batch, filled with the device memory at `content` if that is not null.
Expected<std::byte *> StagedCommunicator::addImage(Batch &batch, uint64_t bytes,
                                                   const void *content) {
  Bytes &image = batch.images.emplace_back();
  if (!idle.empty()) {
    image = std::move(idle.back());
    idle.pop_back();
  }
  image.resize(bytes);
  if (content)
    if (Status status = device.copyOut(image, static_cast<const std::byte *>(content));
        !status.ok())
      return status;
  return image.data();
}

Status StagedCommunicator::wait(Request request, TransferInterval &interval) {
  // After a failure other members may still read the batch, so it is kept.
  Batch &batch = batches.at(request.number);
  if (Status status = transport->wait(batch.request, interval); !status.ok())
    return status;
  for (const Destination &destination : batch.destinations)
    if (Status status = device.copyIn(destination.address, batch.images[destination.image]);
        !status.ok())
      return status;
  for (Bytes &image : batch.images)
    idle.push_back(std::move(image));
  batches.erase(request.number);
  return {};
}

Expected<std::unique_ptr<Communicator>> StagedCommunicator::split(int color, int key) {
  Expected<std::unique_ptr<Communicator>> part = transport->split(color, key);
  if (!part)
    return part.status();
  return std::unique_ptr<Communicator>(
      std::make_unique<StagedCommunicator>(std::move(*part), device));
}

} // namespace pcc::runtime
