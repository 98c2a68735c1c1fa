// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the emulated libraries put work on a stream of the emulated driver, which they are linked to.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <functional>
#include <vector>

namespace pcc::test {

/// Bytes of a GPU's memory that a piece of work touches.
struct GpuBytes {
  runtime::cuda::DevicePointer address;
  size_t size;
};

/// Enqueues work, as a kernel is. Whatever of `touched` does not lie in one allocation is an error
/// of the stream, found when the work's turn comes.
runtime::cuda::Result enqueueWork(runtime::cuda::StreamHandle stream, std::vector<GpuBytes> touched,
                                  std::function<void()> work);

/// Enqueues work that may not be ready (Result::NotReady): it is tried again when others are
/// further, or after retryWork().
runtime::cuda::Result enqueueMeeting(runtime::cuda::StreamHandle stream,
                                     std::vector<GpuBytes> touched,
                                     std::function<runtime::cuda::Result()> work);

/// Something has changed that work waits for.
void retryWork();

/// What a library does on threads of its own, done by whoever waits for a GPU that cannot go on:
/// it may enqueue more. Called without any lock.
void setBackground(void (*work)());

/// Whether calls that take memory wait for all that the GPU has; they do unless told otherwise.
void setWaitsForMemory(bool waits);

/// The number of the GPU whose context this thread has; -1: none.
int currentGpu();

/// While it lives, the thread has the context of a GPU.
class OnGpu {
public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu &) = delete;

private:
  const int before;
};

} // namespace pcc::test
