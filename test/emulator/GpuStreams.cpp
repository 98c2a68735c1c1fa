// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/GpuStreams.h"

#include <chrono>
#include <utility>

namespace pcc::test {

using namespace runtime::cuda;

StreamHandle GpuStreams::create(int gpu) {
  auto *stream = new StreamObject;
  stream->gpu = gpu;
  return *streams.insert(stream).first;
}

void GpuStreams::destroy(Lock &lock, StreamHandle stream) {
  wait(lock, stream);
  streams.erase(stream);
  delete stream;
}

Result GpuStreams::add(StreamHandle stream, Work work) {
  if (error != Result::Success)
    return error;
  if (stream->capture) {
    stream->capture->work.push_back(std::move(work));
    return error;
  }
  stream->work.push_back(std::move(work));
  ++stream->enqueued;
  retry();
  return error;
}

Result GpuStreams::addWait(StreamHandle stream, EventObject event) {
  if (!event.stream)
    return error; // an event that was never recorded does not delay the stream
  return add(stream, [this, event] {
    return !streams.contains(event.stream) || runTo(*event.stream, event.place) ? Result::Success
                                                                                : Result::NotReady;
  });
}

void GpuStreams::retry() {
  ++changes;
  changed.notify_all();
}

/// Runs work up to `place`; returns true if all of it is done.
bool GpuStreams::runTo(StreamObject &stream, uint64_t place) {
  while (stream.done < place) {
    if (stream.isBusy)
      return false;
    stream.isBusy = true;
    Result result = error == Result::Success ? stream.work.front()() : error;
    stream.isBusy = false;
    if (result == Result::NotReady)
      return false;
    stream.work.pop_front();
    ++stream.done;
    ++done;
    if (error == Result::Success) // the awaited work may have ended with an error
      error = result;
  }
  return true;
}

/// Sleeps until something changes. With a background function it sleeps only for a while, because a
/// library may do something in the background.
void GpuStreams::sleep(Lock &lock, uint64_t changesBefore) {
  auto hasChanged = [&] { return changes != changesBefore; };
  if (!background)
    return changed.wait(lock, hasChanged);
  lock.unlock();
  background();
  lock.lock();
  changed.wait_for(lock, std::chrono::milliseconds(2), hasChanged);
}

Result GpuStreams::waitFor(Lock &lock, StreamObject &stream, uint64_t place) {
  while (!runTo(stream, place)) {
    uint64_t doneBefore = done, changesBefore = changes;
    for (StreamHandle other : streams)
      runTo(*other, other->enqueued);
    if (done == doneBefore && stream.done < place)
      sleep(lock, changesBefore);
  }
  return error;
}

Result GpuStreams::wait(Lock &lock, StreamHandle stream) {
  return stream->capture ? Result::CaptureUnsupported : waitFor(lock, *stream, stream->enqueued);
}

Result GpuStreams::wait(Lock &lock, const EventObject &event) {
  return event.stream ? waitFor(lock, *event.stream, event.place) : error;
}

/// Also waits for work that a library is about to enqueue.
Result GpuStreams::waitForAll(Lock &lock, int gpu) {
  if (background) {
    lock.unlock();
    background();
    lock.lock();
  }
  for (StreamHandle stream : std::vector(streams.begin(), streams.end()))
    if (streams.contains(stream) && stream->gpu == gpu) // may be destroyed during a sleep
      waitFor(lock, *stream, stream->enqueued);
  return error;
}

} // namespace pcc::test
