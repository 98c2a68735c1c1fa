// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An anchor is recorded and waited for between two reads of the host's clock. Their midpoint is its
// host time. Of three tries the one with the smallest distance is used. Events of destroyed marks
// are reused.

#include "runtime/device/cuda/driver/EventClock.h"

namespace pcc::runtime::cuda {
namespace {

/// Nanoseconds for which an anchor is valid. The driver measures milliseconds in 24 bits, which
/// resolve 0.06 µs within a second, and the two clocks drift apart.
constexpr int64_t anchorLife = 1'000'000'000;

/// Number of anchors tried; the one with the most exact time is used.
constexpr int anchorTries = 3;

class EventMark final : public DeviceTimestamp {
public:
  EventMark(Event event, std::shared_ptr<const Anchor> anchor, std::shared_ptr<IdleEvents> idle)
      : event(std::move(event)), anchor(std::move(anchor)), idle(std::move(idle)) {}
  ~EventMark() override {
    std::lock_guard lock(idle->mutex);
    idle->events.push_back(std::move(event));
  }

  Expected<std::optional<int64_t>> time() const override {
    Expected<std::optional<int64_t>> since = event.nanosecondsSince(anchor->event);
    if (since && *since)
      **since += anchor->time;
    return since;
  }

private:
  Event event;
  const std::shared_ptr<const Anchor> anchor;
  const std::shared_ptr<IdleEvents> idle;
};

} // namespace

Expected<std::unique_ptr<EventClock>> EventClock::make(std::shared_ptr<const Gpu> gpu) {
  Expected<std::unique_ptr<SideStream>> side = SideStream::make(gpu);
  if (!side)
    return side.status();
  auto clock = std::make_unique<EventClock>(std::move(gpu), std::move(*side));
  if (Status status = clock->recordAnchor(); !status.ok())
    return status;
  return clock;
}

/// Records a new anchor. Its time lies between two reads of the host's clock; the midpoint is used,
/// with an error of at most half the distance.
Status EventClock::recordAnchor() {
  int64_t narrowest = 0;
  std::shared_ptr<const Anchor> best;
  for (int tries = 0; tries < anchorTries; ++tries) {
    Expected<Event> event = Event::makeTimed(gpu);
    if (!event)
      return event.status();
    int64_t before = nowNanoseconds();
    Status status = side->record(*event);
    if (status.ok())
      status = event->synchronize();
    if (!status.ok())
      return status;
    int64_t width = nowNanoseconds() - before;
    if (best && width >= narrowest)
      continue;
    narrowest = width;
    best = std::make_shared<const Anchor>(Anchor{std::move(*event), before + width / 2});
  }
  anchor = std::move(best);
  return {};
}

Status EventClock::renew() {
  return nowNanoseconds() - anchor->time > anchorLife ? recordAnchor() : Status();
}

Expected<Event> EventClock::takeEvent() {
  std::lock_guard lock(idle->mutex);
  if (idle->events.empty())
    return Event::makeTimed(gpu);
  Event event = std::move(idle->events.back());
  idle->events.pop_back();
  return event;
}

TimestampHandle EventClock::mark(StreamHandle stream) {
  Expected<Event> event = takeEvent();
  if (!event || !event->record(stream).ok())
    return nullptr;
  return std::make_shared<EventMark>(std::move(*event), anchor, idle);
}

} // namespace pcc::runtime::cuda
