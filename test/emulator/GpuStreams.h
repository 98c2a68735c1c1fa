// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the emulated GPU. Their work is done as late as can be: when somebody waits for it. So
// whoever looks at a result without having waited sees what was there before. Work that needs
// another stream's is done behind that; work that needs what nobody has enqueued yet lets the one
// who waits sleep until somebody enqueues more.
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

/// A piece of work; NotReady: it is to be tried again when others are further.
using Work = std::function<runtime::cuda::Result()>;

} // namespace pcc::test

namespace pcc::runtime::cuda {

/// What a capture found instead of doing it.
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
  /// Whether its first piece of work is being done, further up on the stack.
  bool isBusy = false;
  /// Takes the work while a capture goes on.
  std::unique_ptr<GraphObject> capture;
};

/// When a stream came to a place, once it has.
using EventTime = std::shared_ptr<std::optional<int64_t>>;

/// A place in a stream: behind so many pieces of work. Of a timed one the last is to note the time.
struct EventObject {
  bool isTimed = false;
  StreamObject *stream = nullptr;
  uint64_t place = 0;
  EventTime time = {};
};

} // namespace pcc::runtime::cuda

namespace pcc::test {

/// All calls are made under one lock, which waits give away.
class GpuStreams {
public:
  using Result = runtime::cuda::Result;
  using Lock = std::unique_lock<std::mutex>;

  runtime::cuda::StreamHandle create(int gpu);
  void destroy(Lock &lock, runtime::cuda::StreamHandle stream);

  /// An error of work that was done before stays that of every call.
  Result add(runtime::cuda::StreamHandle stream, Work work);
  /// The work of `stream` from now on comes behind the event.
  Result addWait(runtime::cuda::StreamHandle stream, runtime::cuda::EventObject event);
  /// Does the work of a stream, or what stands before an event, or all of a GPU.
  Result wait(Lock &lock, runtime::cuda::StreamHandle stream);
  Result wait(Lock &lock, const runtime::cuda::EventObject &event);
  Result waitForAll(Lock &lock, int gpu);

  /// Something that work waits for has changed.
  void retry();

  /// Called without the lock when nothing can go on.
  void (*background)() = nullptr;

  /// As a context that is made anew.
  void forgetErrors() { error = Result::Success; }

private:
  bool runTo(runtime::cuda::StreamObject &stream, uint64_t place);
  void sleep(Lock &lock, uint64_t changesBefore);
  Result waitFor(Lock &lock, runtime::cuda::StreamObject &stream, uint64_t place);

  std::set<runtime::cuda::StreamHandle> streams;
  Result error = Result::Success;
  /// Pieces that were done, and changes that may let others be done.
  uint64_t done = 0, changes = 0;
  std::condition_variable changed;
};

} // namespace pcc::test
