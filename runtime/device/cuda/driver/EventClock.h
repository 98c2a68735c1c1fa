// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells when a GPU reached points in its streams, on the host's clock. The driver measures the time
// between two events. So one event, the anchor, gets a known host time. It is recorded on an
// otherwise idle stream and waited for between two reads of the host's clock.
//
//   host    read clock        read clock
//   GPU                anchor            … mark …       mark
//                      |<-- measured by the driver -->|
//
// Neither marks nor anchors wait for the rank's own work. But if a process has more streams than
// the hardware has queues, the anchor's stream may queue behind one that waits for another rank. So
// anchors are recorded between steps, when no other rank waits for this one.

#pragma once

#include "runtime/base/DeviceTimestamp.h"
#include "runtime/device/cuda/driver/SideStream.h"

#include <mutex>
#include <vector>

namespace pcc::runtime::cuda {

/// Timed events that are free for reuse.
struct IdleEvents {
  std::mutex mutex;
  std::vector<Event> events;
};

/// An event, and its time on the host's clock.
struct Anchor {
  Event event;
  int64_t time;
};

/// Used by one thread at a time; its marks may be used by any thread.
class EventClock {
public:
  static Expected<std::unique_ptr<EventClock>> make(std::shared_ptr<const Gpu> gpu);
  EventClock(std::shared_ptr<const Gpu> gpu, std::unique_ptr<SideStream> side)
      : gpu(std::move(gpu)), side(std::move(side)) {}

  /// Records a new anchor if the last one is too old for exact times.
  Status renew();

  /// Returns a mark after everything enqueued on `stream` so far. Returns null on an error, which
  /// appears at the next call that does something.
  TimestampHandle mark(StreamHandle stream);

private:
  Status recordAnchor();
  Expected<Event> takeEvent();

  const std::shared_ptr<const Gpu> gpu;
  const std::unique_ptr<SideStream> side;
  const std::shared_ptr<IdleEvents> idle = std::make_shared<IdleEvents>();
  std::shared_ptr<const Anchor> anchor;
};

} // namespace pcc::runtime::cuda
