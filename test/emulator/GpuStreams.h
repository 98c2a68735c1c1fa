// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the emulated GPU. Work is done as late as possible: when a thread waits for it. A
// thread that reads a result without waiting therefore sees the old contents. Work that depends on
// another stream is done after that stream's work. If it depends on work that is not enqueued yet,
// the waiting thread sleeps until more is enqueued.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace pcc::test {

/// An item of work. The result NotReady means: try again after other streams have advanced.
using Work = std::function<runtime::cuda::Result()>;

} // namespace pcc::test

namespace pcc::runtime::cuda {

/// Work that was captured instead of run.
struct GraphObject {
  std::vector<test::Work> work;
};
struct GraphExecObject {
  std::vector<test::Work> work;
};

struct StreamObject {
  int gpu = 0;
  std::deque<test::Work> work;
  uint64_t enqueued = 0, done = 0;
  /// True while its first item of work runs, further up on the call stack.
  bool isBusy = false;
  /// Receives the work during a capture.
  std::unique_ptr<GraphObject> capture;
};

/// Time at which a stream reached an event; empty before.
using EventTime = std::shared_ptr<std::optional<int64_t>>;

/// A position in a stream: the number of preceding items of work. For a timed event the last of
/// these records the time.
struct EventObject {
  bool isTimed = false;
  StreamObject *stream = nullptr;
  uint64_t place = 0;
  EventTime time = {};
};

} // namespace pcc::runtime::cuda

namespace pcc::test {

/// The emulated streams. All calls are made under one lock, which waits release.
class GpuStreams {
public:
  using Result = runtime::cuda::Result;
  using Lock = std::unique_lock<std::mutex>;

  runtime::cuda::StreamHandle create(int gpu);
  void destroy(Lock &lock, runtime::cuda::StreamHandle stream);

  /// Enqueues work. An error of earlier work is the result of every later call.
  Result add(runtime::cuda::StreamHandle stream, Work work);
  /// Makes later work of `stream` wait for the event.
  Result addWait(runtime::cuda::StreamHandle stream, runtime::cuda::EventObject event);
  /// Does the work of a stream, or the work before an event, or all work of a GPU.
  Result wait(Lock &lock, runtime::cuda::StreamHandle stream);
  Result wait(Lock &lock, const runtime::cuda::EventObject &event);
  Result waitForAll(Lock &lock, int gpu);

  /// Signals that a condition of waiting work has changed.
  void retry();

  /// Called without the lock if no work can proceed.
  void (*background)() = nullptr;

  /// Resets the error, as a new context does.
  void forgetErrors() { error = Result::Success; }

private:
  bool runTo(runtime::cuda::StreamObject &stream, uint64_t place);
  void sleep(Lock &lock, uint64_t changesBefore);
  Result waitFor(Lock &lock, runtime::cuda::StreamObject &stream, uint64_t place);

  std::set<runtime::cuda::StreamHandle> streams;
  Result error = Result::Success;
  /// Number of items done, and number of changes that may allow other items to proceed.
  uint64_t done = 0, changes = 0;
  std::condition_variable changed;
};

} // namespace pcc::test
