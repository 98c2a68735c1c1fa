// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of one process that share a GPU, each with streams of its own: so every program for many
// devices runs on one, which no vendor's library does (NCCL refuses two ranks on a GPU).
//
//   start    a member leaves its calls, and an event behind all that it has enqueued; the last one
//            to come enqueues the work of all on its stream for communication, behind all these
//            events, and an event behind the work
//   wait     when the last one has come, the member's own stream is told to wait for that event
//
// The host waits for members' threads alone, never for the GPU. Whoever waits on the GPU waits for
// what was enqueued before, so streams cannot wait in a circle. Messages go the same way between
// the two that are at their ends.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_SHAREDGPU_H
#define PCC_RUNTIME_COLLECTIVE_GPU_SHAREDGPU_H

#include "runtime/collective/Communicator.h"
#include "runtime/device/cuda/CudaDevice.h"

namespace pcc::runtime {

namespace gpu {
struct Group;
}

/// Where the ranks of a process meet.
class SharedGpu {
public:
  explicit SharedGpu(int ranks);

  /// The communicator of all ranks for one of them, with the parts of its device, which must
  /// outlive it. All devices must be of one GPU. Called on the rank's thread.
  Expected<std::unique_ptr<Communicator>> join(int rank, cuda::RankParts parts) const;

private:
  const std::shared_ptr<gpu::Group> all;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_GPU_SHAREDGPU_H
