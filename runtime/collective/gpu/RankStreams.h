// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The streams of a rank: its compute stream, and those of its collectives and messages.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_RANKSTREAMS_H
#define PCC_RUNTIME_COLLECTIVE_GPU_RANKSTREAMS_H

#include "runtime/collective/gpu/MoveQueue.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::gpu {

struct RankStreams {
  cuda::Stream &compute;
  std::unique_ptr<MoveQueue> collectives, messages;
  /// Null: no times are recorded.
  cuda::EventClock *clock;

  TimestampHandle mark(MoveQueue &queue) const {
    return clock ? clock->mark(queue.stream().get()) : nullptr;
  }
};

/// Adds an interval if it was marked.
inline void addPlace(const TimestampSpan &place, TransferInterval &interval) {
  if (place.begin && place.end)
    interval.places.push_back(place);
}

} // namespace pcc::runtime::gpu

#endif // PCC_RUNTIME_COLLECTIVE_GPU_RANKSTREAMS_H
