// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a GPU came to places in its streams, on the host's clock. The driver tells how long two
// events lie apart. So there is one event of which the host's time is known, the anchor: recorded
// on a stream that has nothing else to do, and waited for, between two looks at the host's clock.
//
//   host    look        look
//   GPU         anchor        … mark …        mark
//               |<-- told by the driver -->|
//
// Nothing of the rank's is waited for, neither for a mark nor for an anchor. But where a process
// has more streams than the hardware has queues, the anchor's may stand behind one that waits for
// another rank; so anchors are dropped where a rank owes nobody anything, between steps.

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENTCLOCK_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENTCLOCK_H

#include "runtime/base/TimeMark.h"
#include "runtime/device/cuda/driver/SideStream.h"

#include <mutex>
#include <vector>

namespace pcc::runtime::cuda {

/// Events with a time that nobody needs now.
struct IdleEvents {
  std::mutex mutex;
  std::vector<Event> events;
};

/// An event, and when it was.
struct Anchor {
  Event event;
  int64_t time;
};

/// Used by one thread at a time; its marks by any.
class EventClock {
public:
  static Expected<std::unique_ptr<EventClock>> make(std::shared_ptr<const Gpu> gpu);
  EventClock(std::shared_ptr<const Gpu> gpu, std::unique_ptr<SideStream> side)
      : gpu(std::move(gpu)), side(std::move(side)) {}

  /// Drops a new anchor if the last one is too old for exact times.
  Status renew();

  /// The place behind what `stream` has so far. Null on an error, which shows at the next call that
  /// does something.
  Mark mark(StreamHandle stream);

private:
  Status drop();
  Expected<Event> takeEvent();

  const std::shared_ptr<const Gpu> gpu;
  const std::unique_ptr<SideStream> side;
  const std::shared_ptr<IdleEvents> idle = std::make_shared<IdleEvents>();
  std::shared_ptr<const Anchor> anchor;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_EVENTCLOCK_H
