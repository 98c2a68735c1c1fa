// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream beside a rank's own, for communication and incoming data while the rank computes. Events
// define the order between streams; the host does not wait:
//
//   side->waitFor(ready);              // what the rank computed so far, recorded on its stream
//   …                                  // calls that enqueue on side->get()
//   side->record(done);
//   stream.waitFor(done);              // what the rank computes from now on

#pragma once

#include "runtime/device/cuda/driver/Event.h"

namespace pcc::runtime::cuda {

class SideStream {
public:
  /// First: its work precedes that of the ranks' own streams where both could run. Use it for work
  /// that other ranks wait for. Streams of priority First share hardware queues only with each
  /// other.
  enum class Priority { First, Ordinary };
  static Expected<std::unique_ptr<SideStream>> make(std::shared_ptr<const Gpu> gpu,
                                                    Priority priority = Priority::First);
  SideStream(std::shared_ptr<const Gpu> gpu, StreamHandle handle)
      : gpu(std::move(gpu)), handle(handle) {}
  ~SideStream();
  SideStream(const SideStream &) = delete;

  const Driver &driver() const { return gpu->driver; }
  StreamHandle get() const { return handle; }

  /// Makes everything enqueued from now on wait for the event, which may belong to another stream.
  Status waitFor(const Event &event);
  Status record(Event &event) { return event.record(handle); }
  Status synchronize();

private:
  const std::shared_ptr<const Gpu> gpu;
  const StreamHandle handle;
};

} // namespace pcc::runtime::cuda
