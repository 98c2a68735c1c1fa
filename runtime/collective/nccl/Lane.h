// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A communicator of NCCL with the stream on which its calls run, one after the other, and temporary
// memory for what is packed there.

#ifndef PCC_RUNTIME_COLLECTIVE_NCCL_LANE_H
#define PCC_RUNTIME_COLLECTIVE_NCCL_LANE_H

#include "runtime/collective/gpu/MoveQueue.h"
#include "runtime/collective/nccl/Plan.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::nccl {

/// Memory that the work of a stream has for a while: who takes it later comes later on the stream,
/// so nothing is waited for. Where the driver takes or frees memory it may wait for the whole GPU,
/// and with it for peers: so all that a run needs is taken before it begins
/// (Communicator::reserve), and nothing is freed before the end.
class Scratch {
public:
  explicit Scratch(std::shared_ptr<const cuda::Gpu> gpu) : gpu(std::move(gpu)) {}

  /// All that was taken is free again for what is enqueued from now on.
  void reset() { place = {}; }
  /// Null where there is no more; status() then says why.
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

/// What was put on a lane and is not waited for yet.
struct Flight {
  std::optional<cuda::Event> done;
  std::vector<gpu::Move> after;
  /// From when the stream comes to it until it is done, if somebody wants to know when that was.
  MarkedSpan place;
  bool isEnqueued = false;
};

class Lane {
public:
  /// Takes the communicator over.
  static Expected<std::unique_ptr<Lane>> make(std::shared_ptr<RankComms> comms, CommHandle comm,
                                              cuda::RankParts parts);
  Lane(std::shared_ptr<RankComms> comms, CommHandle comm, cuda::RankParts parts,
       std::unique_ptr<gpu::MoveQueue> queue, cuda::Event ready);
  ~Lane();

  RankComms &rank() const { return *comms; }
  CommHandle comm() const { return handle; }
  StreamHandle stream() { return queue->stream().get(); }
  Scratch &memory() { return scratch; }

  /// Puts what comes first on the stream, behind all that the rank has computed. What was put there
  /// before has to be enqueued, so this may wait for its members.
  Expected<std::shared_ptr<Flight>> begin(Plan plan);
  /// Goes on with the latest flight when its calls are enqueued: at once, or not at all.
  Status goOn();
  /// Waits for its calls to be enqueued, and has the rank's own stream wait for it.
  Status finish(Flight &flight);
  /// Waits until all of it is done.
  Status synchronise() { return queue->stream().synchronise(); }

private:
  Mark mark() { return parts.clock ? parts.clock->mark(stream()) : nullptr; }
  Status enqueueRest(Flight &flight);
  Expected<cuda::Event> takeEvent();

  const std::shared_ptr<RankComms> comms;
  const CommHandle handle;
  const cuda::RankParts parts;
  const std::unique_ptr<gpu::MoveQueue> queue;
  cuda::Event ready;
  Scratch scratch;
  std::vector<cuda::Event> idle;
  /// The only one that may not be enqueued.
  std::shared_ptr<Flight> latest;
};

} // namespace pcc::runtime::nccl

#endif // PCC_RUNTIME_COLLECTIVE_NCCL_LANE_H
