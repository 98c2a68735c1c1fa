// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by which the emulated libraries enqueue work on streams of the emulated driver. The
// libraries are linked to the driver.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <functional>
#include <vector>

namespace pcc::test {

/// Bytes of a GPU's memory that an item of work touches.
struct GpuBytes {
  runtime::cuda::DevicePointer address;
  size_t size;
};

/// Enqueues work like a kernel. If a range of `touched` does not lie in one allocation, the stream
/// gets an error when the work is due.
runtime::cuda::Result enqueueWork(runtime::cuda::StreamHandle stream, std::vector<GpuBytes> touched,
                                  std::function<void()> work);

/// Enqueues work that may not be ready (Result::NotReady): it is tried again after other streams
/// have advanced, or after retryWork().
runtime::cuda::Result enqueueMeeting(runtime::cuda::StreamHandle stream,
                                     std::vector<GpuBytes> touched,
                                     std::function<runtime::cuda::Result()> work);

/// Signals that a condition of waiting work has changed.
void retryWork();

/// Sets a function that stands for a library's own threads. A thread that waits for a GPU without
/// progress calls it. It may enqueue work, and is called without any lock.
void setBackground(void (*work)());

/// Sets whether calls that allocate memory wait for all work of the GPU (default: true).
void setWaitsForMemory(bool waits);

/// Returns the number of the GPU whose context this thread has; -1 for none.
int currentGpu();

/// Gives the thread the context of a GPU during its lifetime.
class OnGpu {
public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu &) = delete;

private:
  const int before;
};

} // namespace pcc::test
