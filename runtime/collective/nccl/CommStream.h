// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An NCCL communicator with the stream on which its calls run in order, and temporary memory for
// packed data.

#pragma once

#include "runtime/collective/gpu/MoveQueue.h"
#include "runtime/collective/nccl/Plan.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::nccl {

/// Temporary memory for the work of a stream. Its users follow each other on the stream, so reuse
/// needs no wait. When the driver allocates or frees memory, it may wait for the whole GPU, and so
/// for peers. So all memory of a run is allocated before it begins (Communicator::reserve), and
/// none is freed before the end.
class Scratch {
public:
  explicit Scratch(std::shared_ptr<const cuda::Gpu> gpu) : gpu(std::move(gpu)) {}

  /// Makes all memory free again for work enqueued from now on.
  void reset() { place = {}; }
  /// Returns null if there is no more memory; status() then gives the reason.
  std::byte *take(int64_t bytes);
  Status status() const { return failure; }

private:
  struct Chunk {
    std::unique_ptr<Allocation> memory;
    int64_t bytes;
  };
  struct Place {
    size_t chunk = 0;
    int64_t taken = 0;
  };
  const std::shared_ptr<const cuda::Gpu> gpu;
  std::vector<Chunk> chunks;
  Place place;
  Status failure;
};

/// Work enqueued on a stream and not yet waited for.
struct StreamWork {
  std::optional<cuda::Event> done;
  std::vector<gpu::Move> after;
  /// Interval from the stream's arrival at the work to its completion, if times are recorded.
  TimestampSpan deviceSpan;
  bool isEnqueued = false;
};

class CommStream {
public:
  /// Takes over the communicator.
  static Expected<std::unique_ptr<CommStream>> make(std::shared_ptr<RankComms> comms,
                                                    CommHandle comm, cuda::RankParts parts);
  CommStream(std::shared_ptr<RankComms> comms, CommHandle comm, cuda::RankParts parts,
             std::unique_ptr<gpu::MoveQueue> queue, cuda::Event ready);
  ~CommStream();

  RankComms &rank() const { return *comms; }
  CommHandle comm() const { return handle; }
  StreamHandle stream() { return queue->stream().get(); }
  Scratch &memory() { return scratch; }

  /// Enqueues the copies before the calls, after everything that the rank has computed. All earlier
  /// work of this stream must be enqueued first, so this may wait for other members.
  Expected<std::shared_ptr<StreamWork>> begin(Plan plan);
  /// Enqueues the rest of the latest work if NCCL has already enqueued its calls. Otherwise
  /// finish() or the next begin() does.
  Status tryFinishEnqueue();
  /// Waits until the calls are enqueued, and makes the rank's own stream wait for the work.
  Status finish(StreamWork &work);
  /// Waits until all work is done.
  Status synchronize() { return queue->stream().synchronize(); }

private:
  TimestampHandle mark() { return parts.clock ? parts.clock->mark(stream()) : nullptr; }
  Status enqueueRest(StreamWork &work);
  Expected<cuda::Event> takeEvent();

  const std::shared_ptr<RankComms> comms;
  const CommHandle handle;
  const cuda::RankParts parts;
  const std::unique_ptr<gpu::MoveQueue> queue;
  cuda::Event ready;
  Scratch scratch;
  std::vector<cuda::Event> idle;
  /// Only the latest work may be incompletely enqueued.
  std::shared_ptr<StreamWork> latest;
};

} // namespace pcc::runtime::nccl
