// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work has this order on the stream: copies before, the caller's NCCL calls, copies after, an
// event. Non-blocking NCCL may put its calls on the stream late. So the copies after them are
// enqueued only when no call is in progress. Chunks of scratch memory double in size.

#include "runtime/collective/nccl/CommStream.h"

#include <algorithm>

namespace pcc::runtime::nccl {

std::byte *Scratch::take(int64_t bytes) {
  constexpr int64_t least = 1 << 20, alignment = 256;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  for (; place.chunk < chunks.size(); ++place.chunk, place.taken = 0)
    if (place.taken + bytes <= chunks[place.chunk].bytes) {
      std::byte *memory = chunks[place.chunk].memory->base + place.taken;
      place.taken += bytes;
      return memory;
    }
  int64_t chunk = std::max({bytes, least, chunks.empty() ? 0 : 2 * chunks.back().bytes});
  Expected<std::unique_ptr<Allocation>> memory = cuda::allocateOn(gpu, uint64_t(chunk));
  if (!memory) {
    failure = memory.status();
    return nullptr;
  }
  chunks.push_back({std::move(*memory), chunk});
  place.taken = bytes;
  return chunks.back().memory->base;
}

Expected<std::unique_ptr<CommStream>> CommStream::make(std::shared_ptr<RankComms> comms,
                                                       CommHandle comm, cuda::RankParts parts) {
  auto queue = gpu::MoveQueue::make(parts.stream.gpu, parts.code);
  if (!queue)
    return queue.status();
  Expected<cuda::Event> ready = cuda::Event::make(parts.stream.gpu);
  if (!ready)
    return ready.status();
  return std::make_unique<CommStream>(std::move(comms), comm, parts, std::move(*queue),
                                      std::move(*ready));
}

CommStream::CommStream(std::shared_ptr<RankComms> comms, CommHandle comm, cuda::RankParts parts,
                       std::unique_ptr<gpu::MoveQueue> queue, cuda::Event ready)
    : comms(std::move(comms)), handle(comm), parts(parts), queue(std::move(queue)),
      ready(std::move(ready)), scratch(parts.stream.gpu) {}

CommStream::~CommStream() {
  if (parts.stream.gpu->enter().ok())
    (void)queue->stream().synchronize();
  comms->release(handle);
}

Expected<cuda::Event> CommStream::takeEvent() {
  if (idle.empty())
    return cuda::Event::make(parts.stream.gpu);
  cuda::Event event = std::move(idle.back());
  idle.pop_back();
  return event;
}

Expected<std::shared_ptr<StreamWork>> CommStream::begin(Plan plan) {
  if (!scratch.status().ok())
    return scratch.status();
  if (latest && !latest->isEnqueued)
    if (Status status = enqueueRest(*latest); !status.ok())
      return status;
  Expected<cuda::Event> done = takeEvent();
  if (!done)
    return done.status();
  auto work = std::make_shared<StreamWork>();
  work->done = std::move(*done);
  work->after = std::move(plan.after);
  latest = work;
  Status status = parts.stream.record(ready);
  if (status.ok())
    status = queue->stream().waitFor(ready);
  work->deviceSpan.begin = mark();
  if (status.ok())
    status = queue->enqueue(plan.before);
  if (!status.ok())
    return status;
  return work;
}

Status CommStream::tryFinishEnqueue() {
  Expected<bool> settled = comms->isSettled(handle);
  if (!settled)
    return settled.status();
  return *settled ? enqueueRest(*latest) : Status();
}

/// Enqueues the copies after the calls, once the calls are on the stream.
Status CommStream::enqueueRest(StreamWork &work) {
  Status status = comms->settle(handle);
  if (status.ok())
    status = queue->enqueue(work.after);
  work.deviceSpan.end = mark();
  if (status.ok())
    status = queue->stream().record(*work.done);
  work.isEnqueued = status.ok();
  return status;
}

Status CommStream::finish(StreamWork &work) {
  if (!work.isEnqueued)
    if (Status status = enqueueRest(work); !status.ok())
      return status;
  // After an abort, enqueued work may have ended without a result.
  Status status = comms->status();
  if (status.ok())
    status = parts.stream.waitFor(*work.done);
  idle.push_back(std::move(*work.done));
  return status;
}

} // namespace pcc::runtime::nccl
