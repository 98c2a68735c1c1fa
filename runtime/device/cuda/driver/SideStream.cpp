// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams are non-blocking: they do not synchronize with the default stream. Priority First is the
// greatest priority of the GPU, Ordinary the least.

#include "runtime/device/cuda/driver/SideStream.h"

namespace pcc::runtime::cuda {

Expected<std::unique_ptr<SideStream>> SideStream::make(std::shared_ptr<const Gpu> gpu,
                                                       Priority priority) {
  const Driver &driver = gpu->driver;
  int least = 0, greatest = 0;
  StreamHandle handle = nullptr;
  Status status = gpu->enter();
  if (status.ok())
    status = driver.check(driver.contextGetStreamPriorityRange(&least, &greatest),
                          "cuCtxGetStreamPriorityRange");
  if (status.ok())
    status = driver.check(
        driver.streamCreateWithPriority(&handle, nonBlockingStream,
                                        priority == Priority::First ? greatest : least),
        "cuStreamCreateWithPriority");
  if (!status.ok())
    return status;
  return std::make_unique<SideStream>(std::move(gpu), handle);
}

SideStream::~SideStream() {
  if (gpu->enter().ok())
    driver().streamDestroy(handle);
}

Status SideStream::waitFor(const Event &event) {
  return driver().check(driver().streamWaitEvent(handle, event.get(), 0), "cuStreamWaitEvent");
}

Status SideStream::synchronize() {
  return driver().check(driver().streamSynchronize(handle), "cuStreamSynchronize");
}

} // namespace pcc::runtime::cuda
