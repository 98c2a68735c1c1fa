// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream beside a rank's own, on which communication runs, and data come, while the rank
// computes. What has to come before what is said by events; the host waits for nothing:
//
//   side->waitFor(ready);              // what the rank computed so far, recorded on its stream
//   …                                  // calls that enqueue on side->get()
//   side->record(done);
//   stream.waitFor(done);              // what the rank computes from now on

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_SIDESTREAM_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_SIDESTREAM_H

#include "runtime/device/cuda/driver/Event.h"

namespace pcc::runtime::cuda {

class SideStream {
public:
  /// Whether its work goes before that of ranks' own streams where both could run, as what others
  /// wait for does. Streams that do have the hardware's queues in common with each other alone.
  enum class Priority { First, Ordinary };
  static Expected<std::unique_ptr<SideStream>> make(std::shared_ptr<const Gpu> gpu,
                                                    Priority priority = Priority::First);
  SideStream(std::shared_ptr<const Gpu> gpu, StreamHandle handle)
      : gpu(std::move(gpu)), handle(handle) {}
  ~SideStream();
  SideStream(const SideStream &) = delete;

  const Driver &driver() const { return gpu->driver; }
  StreamHandle get() const { return handle; }

  /// What is enqueued from now on comes behind the event, which may be one of another stream.
  Status waitFor(const Event &event);
  Status record(Event &event) { return event.record(handle); }
  Status synchronise();

private:
  const std::shared_ptr<const Gpu> gpu;
  const StreamHandle handle;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_SIDESTREAM_H
