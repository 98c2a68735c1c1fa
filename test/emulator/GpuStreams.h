// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the emulated GPU. Their work is done as late as can be: when somebody waits for it. So
// whoever looks at a result without having waited sees what was there before.
#pragma once

#include "runtime/device/cuda/Driver.h"

#include <deque>
#include <functional>
#include <set>

namespace pcc::runtime::cuda {

struct StreamObject {
  std::deque<std::function<Result()>> work;
  uint64_t enqueued = 0, done = 0;
};

/// A place in a stream: behind so many pieces of work.
struct EventObject {
  StreamObject *stream = nullptr;
  uint64_t place = 0;
};

} // namespace pcc::runtime::cuda

namespace pcc::test {

class GpuStreams {
public:
  using Result = runtime::cuda::Result;

  runtime::cuda::StreamHandle create();
  void destroy(runtime::cuda::StreamHandle stream);

  /// An error of work that was done before stays that of every call.
  Result add(runtime::cuda::StreamHandle stream, std::function<Result()> work);
  /// Does the work of a stream, or what stands before an event, or all.
  Result wait(runtime::cuda::StreamHandle stream);
  Result wait(const runtime::cuda::EventObject &event);
  Result waitForAll();

  /// As a context that is made anew.
  void forgetErrors() { error = Result::Success; }

private:
  void runTo(runtime::cuda::StreamObject &stream, uint64_t place);

  std::set<runtime::cuda::StreamHandle> streams;
  Result error = Result::Success;
};

} // namespace pcc::test
