// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/GpuStreams.h"

#include <utility>

namespace pcc::test {

using namespace runtime::cuda;

StreamHandle GpuStreams::create() { return *streams.insert(new StreamObject).first; }

void GpuStreams::destroy(StreamHandle stream) {
  wait(stream);
  streams.erase(stream);
  delete stream;
}

Result GpuStreams::add(StreamHandle stream, std::function<Result()> work) {
  if (error == Result::Success) {
    stream->work.push_back(std::move(work));
    ++stream->enqueued;
  }
  return error;
}

void GpuStreams::runTo(StreamObject &stream, uint64_t place) {
  while (stream.done < place) {
    std::function<Result()> work = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.done;
    if (error == Result::Success)
      error = work();
  }
}

Result GpuStreams::wait(StreamHandle stream) {
  runTo(*stream, stream->enqueued);
  return error;
}

Result GpuStreams::wait(const EventObject &event) {
  if (event.stream)
    runTo(*event.stream, event.place);
  return error;
}

Result GpuStreams::waitForAll() {
  for (StreamHandle stream : streams)
    wait(stream);
  return error;
}

} // namespace pcc::test
