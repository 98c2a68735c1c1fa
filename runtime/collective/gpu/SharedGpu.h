// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins ranks of one process that share a GPU, each with streams of its own. So every multi-device
// program runs on one GPU, which no vendor library supports (NCCL refuses two ranks on a GPU).
//
//   start    a member leaves its calls, and an event after all that it has enqueued; the last one
//            to arrive enqueues the work of all on its communication stream, after all these
//            events, and an event after the work
//   wait     when the last member has arrived, the member's own stream waits for that event
//
// The host waits only for members' threads, never for the GPU. Work on the GPU waits only for work
// enqueued earlier, so streams cannot wait in a circle. Messages work in the same way between their
// two ranks.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/device/cuda/CudaDevice.h"

namespace pcc::runtime {

namespace gpu {
struct SharedGpuGroup;
}

/// The rendezvous of the ranks of a process.
class SharedGpu {
public:
  explicit SharedGpu(int ranks);

  /// Returns the communicator of all ranks for one of them. The device of `parts` must outlive it.
  /// All devices must be on one GPU. Called on the rank's thread.
  Expected<std::unique_ptr<Communicator>> join(int rank, cuda::RankParts parts) const;

private:
  const std::shared_ptr<gpu::SharedGpuGroup> all;
};

} // namespace pcc::runtime
